"""Statements and the attribute that each tells: entity, attribute, value, kind."""

from __future__ import annotations

from typing import Final

Case = tuple[str, tuple[str, str, str, str] | None]

ENGLISH: Final[tuple[Case, ...]] = (
    ("The gateway listens on port 8080.", ("gateway", "port", "8080", "port")),
    ("The gateway is listening on 9090.", ("gateway", "port", "9090", "port")),
    ("The gateway's port is 9091.", ("gateway", "port", "9091", "port")),
    ("The port of the gateway is 9092.", ("gateway", "port", "9092", "port")),
    ("Redis runs version 7.2.4.", ("redis", "version", "7.2.4", "version")),
    ("We upgraded Redis from 6.2 to 7.2.", ("redis", "version", "7.2", "version")),
    ("The version of the driver is 3.1.", ("driver", "version", "3.1", "version")),
    ("Ingrid lives in Lisbon.", ("ingrid", "place", "lisbon", "place")),
    ("The backups are stored in /var/backups.", ("backups", "place", "/var/backups", "path")),
    ("The crawler runs on db-west-2.", ("crawler", "runs on", "db-west-2", "host")),
    ("My favorite colour is green.", ("i", "favourite colour", "green", "word")),
    ("Ingrid's birthday is 12 March.", ("ingrid", "birthday", "12 march", "date")),
    ("The retry limit is 5.", ("retry", "limit", "5", "number")),
    ("Our stand-up is at 9:30.", ("i", "stand-up", "at 9:30", "time")),
    ("The name of the project is Blue Heron.", ("project", "name", "blue heron", "name")),
    ("The API uses Redis for caching.", ("api", "for caching", "redis", "choice")),
    ("We use tabs for indentation.", ("i", "for indentation", "tabs", "choice")),
    ("The timeout of the proxy is 30 seconds now.", ("proxy", "timeout", "30 seconds", "number")),
    ("Pepper is a border collie.", None),
    ("The food is great.", None),
    ("I think the gateway's port is 9091.", None),
    ("Is the gateway's port 9091?", None),
    ("The gateway's port is not 9091.", None),
    ("Ingrid likes tea.", None),
    ("The worker depends on the queue.", None),
)

CHINESE: Final[tuple[Case, ...]] = (
    ("网关监听8080端口。", ("网关", "port", "8080", "port")),
    ("网关的端口是9090。", ("网关", "port", "9090", "port")),
    ("网关端口改成了9091。", ("网关", "port", "9091", "port")),
    ("Redis升级到了7.2.4。", ("redis", "version", "7.2.4", "version")),
    ("驱动的版本是3.1。", ("驱动", "version", "3.1", "version")),
    ("小满住在杭州。", ("小满", "place", "杭州", "place")),
    ("我住在成都。", ("i", "place", "成都", "place")),
    ("备份保存在/var/backups里。", ("备份", "place", "/var/backups", "path")),
    ("后台任务运行在db-west-2上。", ("后台任务", "runs on", "db-west-2", "host")),
    ("我的生日是3月12日。", ("i", "生日", "3月12日", "date")),
    ("重试的上限是5次。", ("重试", "上限", "5次", "number")),
    ("项目的名字是「蓝鹭」。", ("项目", "名字", "蓝鹭", "word")),
    ("后端用Redis做缓存。", ("后端", "做缓存", "redis", "choice")),
    ("我们用Markdown写文档。", ("i", "写文档", "markdown", "choice")),
    ("例会的时间改成下午3点。", ("例会", "时间", "下午3点", "time")),
    ("团子是一只橘猫。", None),
    ("今天的饭很好吃。", None),
    ("听说网关的端口是9090。", None),
    ("网关的端口是9090吗？", None),
    ("周敏喜欢喝茶。", None),
)
