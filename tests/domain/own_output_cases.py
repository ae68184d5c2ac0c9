"""Served texts with what comes back of them: said again in other words, and said otherwise.

Each paragraph is one served text, then ``=`` lines that only say it again, in part or in other
words, and ``!`` lines that look like it and say something else. All written by hand.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct


class Case(Struct, frozen=True):
    served: str
    again: list[str]
    otherwise: list[str]


def _cases(text: str) -> list[Case]:
    return list(_paragraphs(text))


def _paragraphs(text: str) -> Iterator[Case]:
    for paragraph in text.strip().split("\n\n"):
        first, *others = [line.strip() for line in paragraph.splitlines()]
        yield Case(
            first,
            [line[1:].strip() for line in others if line[0] == "="],
            [line[1:].strip() for line in others if line[0] == "!"],
        )


ENGLISH = _cases(
    """
    ComfyUI listens on port 8188 on the workstation
    = ComfyUI is listening on port 8188.
    = As you told me, ComfyUI uses port 8188 on your workstation.
    = The port of ComfyUI on the workstation is 8188.
    ! ComfyUI listens on port 8189 on the workstation
    ! ComfyUI listens on port 8188 on the laptop
    ! Grafana listens on port 8188 on the workstation
    ! ComfyUI no longer listens on port 8188 on the workstation

    The owner prefers dark mode in every editor
    = You prefer dark mode in all editors.
    = According to my memory, the user likes dark mode in every editor.
    = I remember that you like dark mode in each editor!
    ! The owner prefers light mode in every editor
    ! The owner prefers dark mode in every browser
    ! The owner dislikes dark mode in every editor
    ! The owner prefers dark mode in every editor except Vim

    Deployments to production happen on Fridays at 15:00 after the tests have passed
    = Production deployments happen on Fridays at 15:00.
    = We deploy to production on Friday at 15:00 after the tests have passed.
    = Deployments to production: Fridays at 15:00, after the tests passed.
    ! Deployments to production happen on Thursdays at 15:00 after the tests have passed
    ! Deployments to production happen on Fridays at 16:00 after the tests have passed
    ! Deployments to staging happen on Fridays at 15:00 after the tests have passed
    ! Deployments to production happen on Fridays at 15:00 before the tests have passed

    Never restart the database during the nightly backup
    = Never restart the database during the nightly backup!
    = Remember: never restart the DB during the nightly backup.
    = As I said, never restart databases during the nightly backup.
    ! Restart the database during the nightly backup
    ! Never restart the database during the weekly backup
    ! Never stop the backup during the nightly restart

    Maria Lopez manages the billing team in Madrid
    = The billing team in Madrid is managed by Maria Lopez.
    = Maria Lopez is the one who manages the billing team in Madrid.
    = From the notes: Maria Lopez manages the billing team.
    ! Maria Gomez manages the billing team in Madrid
    ! Maria Lopez manages the billing team in Malaga
    ! Maria Lopez manages the support team in Madrid
    ! Maria Lopez left the billing team in Madrid

    The API key for the weather service rotates every 90 days
    = The weather service's API key rotates every 90 days.
    = Based on the memory, the API key for the weather service is rotated every 90 days.
    ! The API key for the weather service rotates every 30 days
    ! The API key for the map service rotates every 90 days
    ! The API key for the weather service does not rotate every 90 days

    Ada is allergic to peanuts and shellfish
    = Ada is allergic to peanuts.
    = You mentioned Ada is allergic to shellfish and peanuts.
    = Of course, Ada is allergic to peanuts and shellfish.
    ! Ada is allergic to walnuts and shellfish
    ! Eva is allergic to peanuts and shellfish
    ! Ada is not allergic to peanuts
    ! Ada is allergic to peanuts, shellfish and celery

    The staging cluster runs Kubernetes 1.31 with three nodes
    = Staging cluster: Kubernetes 1.31, three nodes.
    = The staging cluster is running Kubernetes 1.31 with 3 nodes.
    = It seems the staging cluster uses Kubernetes 1.31.
    ! The staging cluster runs Kubernetes 1.32 with three nodes
    ! The staging cluster runs Kubernetes 1.31 with five nodes
    ! The production cluster runs Kubernetes 1.31 with three nodes

    Invoices are sent on the 5th of each month to accounting@harbour.example
    = Invoices get sent to accounting@harbour.example on the 5th of each month.
    = As noted, invoices are sent on the 5th of every month to accounting@harbour.example.
    ! Invoices are sent on the 6th of each month to accounting@harbour.example
    ! Invoices are sent on the 5th of each month to billing@harbour.example
    ! Invoices are not sent on the 5th of each month to accounting@harbour.example

    Use pnpm instead of npm in the frontend repository
    = Use pnpm instead of npm in the frontend repo.
    = Don't forget: pnpm is used instead of npm in the frontend repository.
    ! Use npm instead of pnpm in the frontend repository
    ! Use pnpm instead of npm in the backend repository
    ! Use yarn instead of npm in the frontend repository

    The backup of 12 May 2026 was restored to server atlas-02
    = The backup of 12 May 2026 was restored to atlas-02.
    = To confirm: the 12 May 2026 backup was restored to server atlas-02.
    ! The backup of 13 May 2026 was restored to server atlas-02
    ! The backup of 12 May 2026 was restored to server atlas-03
    ! The backup of 12 June 2026 was restored to server atlas-02

    Jonas cycles to work when the temperature is above 10 degrees
    = Jonas cycles to work when the temperature is above 10 degrees.
    = We know that Jonas cycles to work when the temperature is above 10 degrees.
    ! Jonas cycles to work when the temperature is below 10 degrees
    ! Jonas cycles to work when the temperature is above 15 degrees
    ! Jonas drives to work when the temperature is above 10 degrees

    The logo file lies in assets/brand/logo-v3.svg
    = The logo file is in assets/brand/logo-v3.svg.
    = You said the logo file lies in assets/brand/logo-v3.svg
    ! The logo file lies in assets/brand/logo-v4.svg
    ! The logo file lies in assets/print/logo-v3.svg
    ! The icon file lies in assets/brand/logo-v3.svg

    Recall must answer within 200 ms at the 95th percentile
    = Recall must answer within 200 ms at the 95th percentile, as you said.
    = For reference: recall must answer within 200ms at the 95th percentile.
    ! Recall must answer within 250 ms at the 95th percentile
    ! Recall must answer within 200 ms at the 99th percentile
    ! Commit must answer within 200 ms at the 95th percentile

    Write commit messages in English and answer the owner in Chinese
    = Write commit messages in English, and answer the owner in Chinese.
    = Commit messages in English; answer the user in Chinese.
    ! Write commit messages in Chinese and answer the owner in English
    ! Write commit messages in German and answer the owner in Chinese
    ! Write commit messages in English and answer the owner in French

    The heat pump needs maintenance every spring by the company Polar Klima
    = The heat pump requires maintenance every spring by the company Polar Klima.
    = Every spring the heat pump needs maintenance by the company Polar Klima.
    ! The heat pump needs maintenance every autumn by the company Polar Klima
    ! The heat pump needs maintenance every spring by the company Nord Klima
    ! The boiler needs maintenance every spring by the company Polar Klima

    Tests on the ARM runner are flaky because of the old clang 14 compiler
    = Tests on the ARM runner are flaky because of the old clang 14 compiler.
    = On the ARM runner tests are flaky because of the old clang 14 compiler.
    ! Tests on the ARM runner are flaky because of the old clang 15 compiler
    ! Tests on the x86 runner are flaky because of the old clang 14 compiler
    ! Tests on the ARM runner are stable because of the old clang 14 compiler

    Grandma Rosa turns 80 on 3 August and wants a picnic by the lake
    = Grandma Rosa turns 80 on 3 August and wants a picnic by the lake!
    = Grandma Rosa turns 80 on 3 August.
    = Just to recap, grandma Rosa wants a picnic by the lake.
    ! Grandma Rosa turns 81 on 3 August and wants a picnic by the lake
    ! Grandma Rosa turns 80 on 3 August and wants a dinner by the lake
    ! Grandpa Rosa turns 80 on 3 August and wants a picnic by the lake

    The feature flag new-checkout is enabled for 25% of the users
    = The feature flag new-checkout is enabled for 25 percent of users.
    = new-checkout: the feature flag is enabled for 25% of the users
    ! The feature flag new-checkout is enabled for 50% of the users
    ! The feature flag new-checkout is disabled for 25% of the users
    ! The feature flag old-checkout is enabled for 25% of the users

    Redis holds the queue and Postgres holds the orders
    = Redis holds the queue, Postgres holds the orders.
    = As far as I know, Postgres holds the orders and Redis holds the queue.
    ! Postgres holds the queue and Redis holds the orders
    ! Redis holds the queue and MySQL holds the orders
    ! Redis holds the cache and Postgres holds the orders

    The worker depends on the scheduler and must be started after it
    = The worker depends on the scheduler and must be started after it.
    = The worker depends on the scheduler.
    ! The scheduler depends on the worker and must be started after it
    ! The worker depends on the scheduler and must be started before it
    ! The worker depends on the broker and must be started after it

    Lena buys her coffee beans from the roastery Kaffa in Bergen
    = Lena buys coffee beans from the roastery Kaffa in Bergen.
    = I recall Lena purchases her coffee beans from the roastery Kaffa.
    ! Lena buys her coffee beans from the roastery Jacu in Bergen
    ! Lena sells her coffee beans to the roastery Kaffa in Bergen
    ! Lena buys her tea leaves from the roastery Kaffa in Bergen

    The contract with Orion Freight ends on 31 December and costs 4,200 euros a month
    = The contract with Orion Freight ends on 31 December.
    = The contract with Orion Freight costs 4200 euros a month and ends on 31 December.
    = In short, the Orion Freight contract costs 4,200 euros a month.
    ! The contract with Orion Freight ends on 30 December and costs 4,200 euros a month
    ! The contract with Orion Freight ends on 31 December and costs 4,500 euros a month
    ! The contract with Vega Freight ends on 31 December and costs 4,200 euros a month

    Do not use tabs in Python files; four spaces are the rule
    = Don't use tabs in Python files; four spaces are the rule.
    = Do not use tabs in Python files.
    ! Use tabs in Python files; four spaces are not the rule
    ! Do not use tabs in Python files; two spaces are the rule
    ! Do not use tabs in Makefiles; four spaces are the rule

    The library closes at 20:00 on weekdays and stays closed on Sundays
    = The library closes at 20:00 on weekdays and stays closed on Sundays.
    = On weekdays the library closes at 20:00.
    ! The library closes at 21:00 on weekdays and stays closed on Sundays
    ! The library closes at 20:00 on weekdays and stays closed on Mondays
    ! The museum closes at 20:00 on weekdays and stays closed on Sundays

    Tomas keeps the spare key in the blue box behind the shed
    = Tomas keeps the spare key in the blue box behind the shed.
    = The spare key is in the blue box behind the shed, Tomas keeps it there.
    ! Tomas keeps the spare key in the red box behind the shed
    ! Tomas keeps the spare key in the blue box behind the garage
    ! Tomas moved the spare key from the blue box behind the shed

    The search index is rebuilt every night at 02:30 and takes about 40 minutes
    = The search index is rebuilt every night at 02:30.
    = The search index takes about 40 minutes and is rebuilt every night at 02:30.
    ! The search index is rebuilt every night at 03:30 and takes about 40 minutes
    ! The search index is rebuilt every night at 02:30 and takes about 90 minutes
    ! The search index is rebuilt every week at 02:30 and takes about 40 minutes

    The old laptop with serial QX-7731 was sold to Petra
    = The old laptop with serial QX-7731 was sold to Petra.
    = The laptop with serial QX-7731 was sold to Petra.
    ! The old laptop with serial QX-7732 was sold to Petra
    ! The old laptop with serial QX-7731 was sold to Paula
    ! The old laptop with serial QX-7731 was lent to Petra

    Marek runs the pottery workshop on Tuesdays and Thursdays
    = Marek runs the pottery workshop on Tuesdays and Thursdays.
    = Every Tuesday and Thursday Marek runs the pottery workshop.
    ! Marek runs the pottery workshop on Tuesdays and Fridays
    ! Marek runs the painting workshop on Tuesdays and Thursdays
    ! Irena runs the pottery workshop on Tuesdays and Thursdays

    Photos from the trip to Iceland are stored on the NAS under /media/trips/iceland-2024
    = Pictures from the Iceland trip are stored on the NAS under /media/trips/iceland-2024.
    = Photos from the trip to Iceland: /media/trips/iceland-2024
    ! Photos from the trip to Iceland are stored on the NAS under /media/trips/iceland-2025
    ! Photos from the trip to Ireland are stored on the NAS under /media/trips/iceland-2024
    ! Videos from the trip to Iceland are stored on the NAS under /media/trips/iceland-2024
    """
)

CHINESE = _cases(
    """
    ComfyUI监听在工作站的8188端口
    = ComfyUI使用工作站的8188端口。
    = 根据我的记忆，ComfyUI监听在8188端口。
    = 你之前说过，工作站的ComfyUI用的是8188端口。
    ! ComfyUI监听在工作站的8189端口
    ! ComfyUI监听在笔记本的8188端口
    ! Grafana监听在工作站的8188端口
    ! ComfyUI不再监听在工作站的8188端口

    用户在所有编辑器里都喜欢深色模式
    = 用户偏好深色模式，在所有编辑器里都是。
    = 我记得你在编辑器里喜欢深色模式。
    = 你在所有编辑器里都偏爱深色模式！
    ! 用户在所有编辑器里都喜欢浅色模式
    ! 用户在所有浏览器里都喜欢深色模式
    ! 用户在所有编辑器里都不喜欢深色模式

    每周五下午三点把代码发布到生产环境
    = 代码每周五下午三点发布到生产环境。
    = 每周五下午三点，把代码上线到生产环境。
    = 据我所知，每周五下午三点把代码发布到生产环境。
    ! 每周四下午三点把代码发布到生产环境
    ! 每周五下午四点把代码发布到生产环境
    ! 每周五下午三点把代码发布到测试环境
    ! 每周五上午三点把代码发布到生产环境

    夜间备份期间不要重启数据库
    = 夜间备份期间不要重启数据库！
    = 请注意，夜间备份期间不要重启数据库。
    = 记录显示夜间备份期间不要重启数据库
    ! 夜间备份期间要重启数据库
    ! 周末备份期间不要重启数据库
    ! 夜间备份期间不要重启服务器

    张敏负责上海的客服团队
    = 张敏负责上海的客服团队。
    = 上海的客服团队是张敏负责。
    = 你提到过张敏负责上海的客服团队
    ! 张明负责上海的客服团队
    ! 张敏负责青海的客服团队
    ! 张敏负责上海的销售团队
    ! 张敏不负责上海的客服团队

    天气服务的密钥每90天轮换一次
    = 天气服务的密钥每90天轮换一次。
    = 根据记录，密钥每90天轮换一次，是天气服务的。
    ! 天气服务的密钥每30天轮换一次
    ! 地图服务的密钥每90天轮换一次
    ! 天气服务的密钥不会每90天轮换一次

    小雅对花生和虾过敏
    = 小雅对花生和虾过敏。
    = 我记得小雅对花生过敏
    = 小雅对虾和花生过敏
    ! 小雅对核桃和虾过敏
    ! 小丽对花生和虾过敏
    ! 小雅对花生不过敏

    测试集群运行Kubernetes 1.31，共有三个节点
    = 测试集群使用Kubernetes 1.31，共有三个节点。
    = 测试集群运行的是Kubernetes 1.31
    ! 测试集群运行Kubernetes 1.32，共有三个节点
    ! 测试集群运行Kubernetes 1.31，共有五个节点
    ! 生产集群运行Kubernetes 1.31，共有三个节点

    发票每月5号发送到财务邮箱finance@gangkou.example
    = 发票每月5号发送到财务邮箱finance@gangkou.example。
    = 每月5号发票发送到finance@gangkou.example
    ! 发票每月6号发送到财务邮箱finance@gangkou.example
    ! 发票每月5号发送到财务邮箱bill@gangkou.example
    ! 合同每月5号发送到财务邮箱finance@gangkou.example

    前端仓库用pnpm代替npm
    = 前端仓库使用pnpm代替npm。
    = 如前所述，前端仓库用pnpm代替npm
    ! 前端仓库用npm代替pnpm
    ! 后端仓库用pnpm代替npm
    ! 前端仓库用yarn代替npm

    2026年5月12日的备份恢复到了服务器atlas-02
    = 2026年5月12日的备份恢复到了atlas-02服务器
    = 2026年5月12日的备份，恢复到了服务器atlas-02。
    ! 2026年5月13日的备份恢复到了服务器atlas-02
    ! 2026年5月12日的备份恢复到了服务器atlas-03
    ! 2026年6月12日的备份恢复到了服务器atlas-02

    气温高于10度时小林骑车上班
    = 气温高于10度时，小林骑车上班。
    = 小林在气温高于10度时骑车上班
    ! 气温低于10度时小林骑车上班
    ! 气温高于15度时小林骑车上班
    ! 气温高于10度时小林开车上班

    标志文件放在assets/brand/logo-v3.svg
    = 标志文件位于assets/brand/logo-v3.svg。
    = 标志文件存放在assets/brand/logo-v3.svg
    ! 标志文件放在assets/brand/logo-v4.svg
    ! 标志文件放在assets/print/logo-v3.svg
    ! 图标文件放在assets/brand/logo-v3.svg

    提交说明写英文，回答用户用中文
    = 提交说明写英文，回答用户使用中文。
    = 回答用户用中文，提交说明写英文
    ! 提交说明写中文，回答用户用英文
    ! 提交说明写德文，回答用户用中文
    ! 提交说明写英文，回答用户用法文

    热泵每年春天由极地公司保养
    = 热泵每年春天由极地公司保养。
    = 每年春天热泵由极地公司保养
    ! 热泵每年秋天由极地公司保养
    ! 热泵每年春天由北方公司保养
    ! 锅炉每年春天由极地公司保养

    奶奶8月3号过80岁生日，想在湖边野餐
    = 奶奶8月3号过80岁生日。
    = 8月3号奶奶过80岁生日，想在湖边野餐
    = 明白，奶奶想在湖边野餐
    ! 奶奶8月3号过81岁生日，想在湖边野餐
    ! 奶奶8月4号过80岁生日，想在湖边野餐
    ! 爷爷8月3号过80岁生日，想在湖边野餐
    ! 奶奶8月3号过80岁生日，想在山顶野餐

    新结账功能已对25%的用户开放
    = 新结账功能对25%的用户开放。
    = 新结账功能已经对25%的用户开放了
    ! 新结账功能已对50%的用户开放
    ! 新结账功能未对25%的用户开放
    ! 旧结账功能已对25%的用户开放

    队列存在Redis里，订单存在Postgres里
    = 订单存放在Postgres里，队列存放在Redis里。
    = 队列存在Redis里
    ! 队列存在Postgres里，订单存在Redis里
    ! 队列存在Redis里，订单存在MySQL里
    ! 缓存存在Redis里，订单存在Postgres里

    采集模块依赖调度模块，要在它之后启动
    = 采集模块依赖调度模块。
    = 采集模块依赖调度模块，要在它之后启动。
    ! 调度模块依赖采集模块，要在它之后启动
    ! 采集模块依赖调度模块，要在它之前启动
    ! 采集模块依赖消息模块，要在它之后启动

    李娜的咖啡豆都从卑尔根的烘焙坊买
    = 李娜的咖啡豆从卑尔根的烘焙坊买。
    = 李娜的咖啡豆都从卑尔根的烘焙坊购买
    ! 李娜的咖啡豆都从奥斯陆的烘焙坊买
    ! 李娜的茶叶都从卑尔根的烘焙坊买
    ! 李梅的咖啡豆都从卑尔根的烘焙坊买

    与远航货运的合同12月31日到期，每月4200元
    = 与远航货运的合同12月31日到期。
    = 与远航货运的合同每月4200元，12月31日到期
    ! 与远航货运的合同12月30日到期，每月4200元
    ! 与远航货运的合同12月31日到期，每月4500元
    ! 与海通货运的合同12月31日到期，每月4200元

    Python文件不用制表符，缩进四个空格
    = Python文件不用制表符，缩进四个空格。
    = Python文件不用制表符
    ! Python文件用制表符，不缩进四个空格
    ! Python文件不用制表符，缩进两个空格
    ! Makefile文件不用制表符，缩进四个空格

    图书馆工作日晚上八点闭馆，周日休息
    = 图书馆工作日晚上八点闭馆。
    = 工作日图书馆晚上八点闭馆，周日休息
    ! 图书馆工作日晚上九点闭馆，周日休息
    ! 图书馆工作日晚上八点闭馆，周一休息
    ! 博物馆工作日晚上八点闭馆，周日休息

    备用钥匙放在棚子后面的蓝盒子里
    = 备用钥匙在棚子后面的蓝盒子里。
    = 现在备用钥匙放在棚子后面的蓝盒子里
    ! 备用钥匙放在棚子后面的红盒子里
    ! 备用钥匙放在车库后面的蓝盒子里
    ! 备用钥匙不放在棚子后面的蓝盒子里

    搜索索引每晚2点30分重建，大约要40分钟
    = 搜索索引每晚2点30分重建。
    = 每晚2点30分重建搜索索引，大约要40分钟
    ! 搜索索引每晚3点30分重建，大约要40分钟
    ! 搜索索引每晚2点30分重建，大约要90分钟
    ! 搜索索引每周2点30分重建，大约要40分钟

    序列号QX-7731的旧电脑卖给了陈涛
    = 序列号QX-7731的旧电脑卖给了陈涛。
    = 旧电脑，序列号QX-7731，卖给了陈涛
    ! 序列号QX-7732的旧电脑卖给了陈涛
    ! 序列号QX-7731的旧电脑卖给了陈浩
    ! 序列号QX-7731的旧电脑借给了陈涛

    马老师周二和周四开陶艺课
    = 马老师周二和周四开陶艺课。
    = 周二和周四马老师开陶艺课
    ! 马老师周二和周五开陶艺课
    ! 马老师周二和周四开绘画课
    ! 牛老师周二和周四开陶艺课

    冰岛旅行的照片存在NAS的/media/trips/iceland-2024目录
    = 冰岛旅行的照片保存在NAS的/media/trips/iceland-2024目录。
    = 冰岛旅行的相片存在/media/trips/iceland-2024目录
    ! 冰岛旅行的照片存在NAS的/media/trips/iceland-2025目录
    ! 爱尔兰旅行的照片存在NAS的/media/trips/iceland-2024目录
    ! 冰岛旅行的视频存在NAS的/media/trips/iceland-2024目录

    召回要在200毫秒内回答
    = 召回要在200毫秒内回答。
    = 众所周知，召回要在200毫秒内回答
    ! 召回要在250毫秒内回答
    ! 提交要在200毫秒内回答
    ! 召回不要在200毫秒内回答

    周会改到每周二上午十点，地点是三楼会议室
    = 周会改到每周二上午十点。
    = 周会改到每周二上午十点，地点：三楼会议室
    ! 周会改到每周三上午十点，地点是三楼会议室
    ! 周会改到每周二上午九点，地点是三楼会议室
    ! 周会改到每周二上午十点，地点是五楼会议室
    """
)

FURTHER_ENGLISH = _cases(
    """
    Nadia leads the mobile team and reports to Oscar
    = Nadia is the lead of the mobile team and she reports to Oscar.
    = Nadia leads the mobile team.
    ! Oscar leads the mobile team and reports to Nadia
    ! Nadia leads the web team and reports to Oscar

    The VPN certificate expires on 14 February 2027
    = Note: the VPN certificate expires on 14 February 2027.
    = On 14 February 2027 the certificate of the VPN expires.
    ! The VPN certificate expires on 15 February 2027
    ! The VPN certificate does not expire on 14 February 2027

    The owner wants answers without emojis and in British English
    = You want answers in British English and without emojis.
    = As you mentioned earlier, you want answers without emojis.
    ! The owner wants answers with emojis and in British English
    ! The owner wants answers without emojis and in American English

    The garden sensor sends a reading every ten minutes over LoRa
    = The garden sensor sends readings over LoRa every ten minutes.
    = Based on our notes, the garden sensor is sending a reading every 10 minutes.
    ! The garden sensor sends a reading every five minutes over LoRa
    ! The garden sensor sends a reading every ten minutes over Zigbee

    Logs older than 30 days are deleted from the bucket mw-logs
    = Logs older than 30 days get deleted from the mw-logs bucket.
    = From the context: logs older than 30 days are deleted from the bucket mw-logs
    ! Logs older than 60 days are deleted from the bucket mw-logs
    ! Logs older than 30 days are kept in the bucket mw-logs

    Felix is afraid of flying and takes the night train to Vienna
    = Felix takes the night train to Vienna, he is afraid of flying.
    = Felix is scared of flying and takes the night train to Vienna.
    ! Felix is afraid of flying and takes the night train to Venice
    ! Felix is not afraid of flying

    The dishwasher of the office kitchen is a Miele G 7200
    = The office kitchen's dishwasher is a Miele G 7200.
    = I believe the dishwasher in the office kitchen is a Miele G 7200.
    ! The dishwasher of the office kitchen is a Miele G 7300
    ! The oven of the office kitchen is a Miele G 7200

    Pull requests need two approvals before they are merged into main
    = Two approvals are needed before pull requests are merged into main.
    = PRs need two approvals before they're merged to main.
    ! Pull requests need three approvals before they are merged into main
    ! Pull requests need two approvals after they are merged into main

    The band rehearses on Wednesdays in Tim's garage
    = The band practises on Wednesdays in Tim's garage.
    = On Wednesdays the band rehearses in Tim's garage.
    ! The band rehearses on Mondays in Tim's garage
    ! The band rehearses on Wednesdays in Tom's garage

    Version 4.2 of the app dropped support for iOS 15
    = The app's version 4.2 dropped support for iOS 15.
    = Support for iOS 15 was dropped in version 4.2 of the app.
    ! Version 4.3 of the app dropped support for iOS 15
    ! Version 4.2 of the app dropped support for iOS 16
    """
)

FURTHER_CHINESE = _cases(
    """
    王磊带领移动端团队，向陈晨汇报
    = 移动端团队由王磊带领，他向陈晨汇报。
    = 王磊带领移动端团队。
    ! 陈晨带领移动端团队，向王磊汇报
    ! 王磊带领网页端团队，向陈晨汇报

    VPN证书2027年2月14日到期
    = 提醒一下，VPN证书2027年2月14日到期。
    = VPN的证书到期日是2027年2月14日
    ! VPN证书2027年2月15日到期
    ! VPN证书2027年2月14日不到期

    用户希望回答不用表情符号，用简体中文
    = 你希望回答用简体中文，不用表情符号。
    = 如前所述，用户希望回答不用表情符号
    ! 用户希望回答用表情符号，用简体中文
    ! 用户希望回答不用表情符号，用繁体中文

    花园传感器每十分钟通过LoRa上报一次数据
    = 花园传感器每十分钟上报一次数据，通过LoRa。
    = 根据记忆，花园的传感器每十分钟通过LoRa上报一次数据
    ! 花园传感器每五分钟通过LoRa上报一次数据
    ! 花园传感器每十分钟通过Zigbee上报一次数据

    超过30天的日志会从mw-logs桶里删除
    = 超过30天的日志从mw-logs桶里删除。
    = mw-logs桶里超过30天的日志会删除
    ! 超过60天的日志会从mw-logs桶里删除
    ! 超过30天的日志会从mw-logs桶里导出

    小飞害怕坐飞机，去成都都坐夜里的火车
    = 小飞害怕坐飞机，去成都坐夜里的火车。
    = 小飞怕坐飞机，去成都都坐夜里的火车
    ! 小飞害怕坐飞机，去昆明都坐夜里的火车
    ! 小飞不害怕坐飞机

    办公室厨房的洗碗机是美的G7200
    = 办公室厨房的洗碗机是美的G7200型。
    = 我记得办公室厨房用的洗碗机是美的G7200
    ! 办公室厨房的洗碗机是美的G7300
    ! 办公室厨房的烤箱是美的G7200

    合并请求要两个人批准才能合入主干
    = 合并请求需要两个人批准才能合入主干。
    = 两个人批准，合并请求才能合入主干
    ! 合并请求要三个人批准才能合入主干
    ! 合并请求要两个人批准才能合入分支

    乐队周三在小田的车库排练
    = 乐队在小田的车库排练，周三。
    = 周三乐队在小田的车库排练
    ! 乐队周一在小田的车库排练
    ! 乐队周三在小方的车库排练

    应用4.2版不再支持iOS 15
    = 4.2版应用不再支持iOS 15。
    = 应用4.2版已经不再支持iOS 15了
    ! 应用4.3版不再支持iOS 15
    ! 应用4.2版支持iOS 15
    """
)
"""Written after the rules; a few of its misses have mended them since (decision 0028)."""

TURNED_ROUND = [
    (
        "Delete logs after 30 days and archive traces after 60 days",
        "Delete logs after 60 days and archive traces after 30 days",
    ),
    (
        "The retention is 30 days for logs instead of 60 days for traces",
        "The retention is 60 days for logs instead of 30 days for traces",
    ),
    (
        "The port moved from 8188 to 8189",
        "The port moved from 8189 to 8188",
    ),
    (
        "Anna reports to Bob in the Berlin office",
        "Bob reports to Anna in the Berlin office",
    ),
    (
        "Anna likes tea and Bob likes coffee",
        "Anna likes coffee",
    ),
    (
        "Anna likes tea and Bob likes coffee",
        "Bob likes tea",
    ),
    (
        "Redis holds the queue and Postgres the orders",
        "Redis holds the orders",
    ),
    (
        "The cache needs at least 4 GB",
        "The cache needs at most 4 GB",
    ),
    (
        "The cache needs more than 4 GB",
        "The cache needs less than 4 GB",
    ),
    (
        "The backup runs before the rebuild",
        "The rebuild runs before the backup",
    ),
    (
        "Never deploy on Fridays, always deploy on Mondays",
        "Never deploy on Mondays, always deploy on Fridays",
    ),
    (
        "Never deploy on Fridays and deploy on Mondays",
        "Never deploy on Mondays",
    ),
    (
        "Do not use Redis for orders, use it for queues",
        "Do not use Redis for queues",
    ),
    (
        "The user wants short answers, no jokes",
        "The user wants jokes",
    ),
    (
        "The user wants short answers, no jokes",
        "You want no short answers",
    ),
    (
        "Ask Lena before changing prices, not Tom",
        "Ask Tom before changing prices",
    ),
    (
        "Server A runs in Oslo, server B runs in Bergen",
        "Server A runs in Bergen, server B runs in Oslo",
    ),
    (
        "Server A runs in Oslo, server B runs in Bergen",
        "Server B runs in Oslo",
    ),
    (
        "Maria's flight is at 7:30 on Monday and the hotel is booked until 9 June",
        "Maria's hotel is booked until 7 June",
    ),
    (
        "The scheduler calls the worker over HTTP every minute",
        "The worker calls the scheduler over HTTP every minute",
    ),
    (
        "不要在周五部署，可以在周一部署",
        "不要在周一部署",
    ),
    (
        "不要在周五部署，可以在周一部署",
        "可以在周五部署",
    ),
    (
        "小王喜欢茶，小李喜欢咖啡",
        "小王喜欢咖啡",
    ),
    (
        "小王喜欢茶，小李喜欢咖啡",
        "小李喜欢茶",
    ),
    (
        "服务器甲在上海，服务器乙在北京",
        "服务器甲在北京",
    ),
    (
        "缓存至少需要4GB",
        "缓存至多需要4GB",
    ),
    (
        "先备份再重建索引",
        "先重建索引再备份",
    ),
    (
        "张三比李四高",
        "李四比张三高",
    ),
    (
        "端口从8188改成8189",
        "端口从8189改成8188",
    ),
    (
        "队列用Redis，订单用Postgres",
        "队列用Postgres，订单用Redis",
    ),
    (
        "周一开会，周三写报告",
        "周三开会，周一写报告",
    ),
    (
        "日志保留30天，追踪保留60天",
        "日志保留60天，追踪保留30天",
    ),
    (
        "用户不喝咖啡，喜欢喝茶",
        "用户喜欢喝咖啡",
    ),
    (
        "The owner stopped smoking in 2020",
        "The owner started smoking in 2020",
    ),
    (
        "Ben lent Carla the drill",
        "Carla lent Ben the drill",
    ),
    (
        "The API returns 404 for unknown ids and 403 for foreign namespaces",
        "The API returns 403 for unknown ids and 404 for foreign namespaces",
    ),
    (
        "Max is taller than Moritz",
        "Moritz is taller than Max",
    ),
    (
        "Kim has two cats and one dog",
        "Kim has one cat and two dogs",
    ),
    (
        "The window closes at 8 and opens at 6",
        "The window closes at 6 and opens at 8",
    ),
]
"""A served text, and one of nearly the same words that says something else."""
