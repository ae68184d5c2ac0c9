"""Pairs on one subject that are two statements: other number, scope, direction, time, agent."""

from __future__ import annotations

from typing import Final


def _pairs(text: str) -> list[tuple[str, str]]:
    lines = (line.partition(" | ") for line in text.strip().splitlines())
    return [(one, other) for one, _, other in lines]


ENGLISH: Final = _pairs(
    """
ComfyUI listens on port 8188. | ComfyUI listens on port 8189.
The proxy runs nginx 1.24. | The proxy runs nginx 1.25.
Python 3.1 is installed. | Python 3.10 is installed.
Answer in Chinese. | Write memories in Chinese.
Answer in Chinese. | Answer in English.
A depends on B. | B depends on A.
The worker calls the scheduler. | The scheduler calls the worker.
Anna manages Bob. | Bob manages Anna.
Anna is managed by Bob. | Bob is managed by Anna.
The frontend uses the backend. | The backend uses the frontend.
The proxy runs in the container. | The container runs in the proxy.
Copy the file from staging to production. | Copy the file from production to staging.
We moved from Berlin to Lyon. | We moved from Lyon to Berlin.
Run the linter before the tests. | Run the tests before the linter.
Deploy on Fridays. | Never deploy on Fridays.
The cache is enabled. | The cache is not enabled.
Caching is on. | Caching is off.
I drink coffee. | I don't drink coffee.
I no longer use Vim. | I use Vim.
I used to live in Oslo. | I live in Oslo.
The API was on port 9000. | The API is on port 9000.
We will migrate to Postgres. | We migrated to Postgres.
We migrate to Postgres. | We migrated to Postgres.
The release is on Monday. | The release is on Tuesday.
Backups run daily. | Backups run weekly.
Backups run at 3 am. | Backups run at 3 pm.
Keep backups for 7 days. | Keep backups for 7 weeks.
The limit is 10 MB. | The limit is 10 GB.
At least three reviewers are needed. | At most three reviewers are needed.
More than 5 retries are allowed. | Fewer than 5 retries are allowed.
All tests must pass. | Some tests must pass.
All admins are users. | All users are admins.
Only Anna may deploy. | Anna may only deploy.
Anna may deploy. | Anna must deploy.
Use tabs in Makefiles. | Use tabs in Python files.
In tests use mocks. | Except in tests use mocks.
Use 3 workers and 5 queues. | Use 5 workers and 3 queues.
Anna likes tea and Bob likes coffee. | Anna likes coffee and Bob likes tea.
He owns the billing service. | She owns the billing service.
I own the billing service. | Anna owns the billing service.
My sister lives in Rome. | My brother lives in Rome.
If the build fails, restart the runner. | If the runner fails, restart the build.
Restart when the disk is full. | Restart unless the disk is full.
The staging database is on db1. | The production database is on db1.
The config is in /etc/app/main.toml. | The config is in /etc/app/test.toml.
The data is in /srv/Data. | The data is in /srv/data.
The variable is called user_id. | The variable is called order_id.
Build with foo-bar. | Build with bar-foo.
The meeting was moved to 10:30. | The meeting was moved to 11:30.
Tea is better than coffee. | Coffee is better than tea.
Redis is faster than Postgres. | Redis is slower than Postgres.
The red cable and the blue plug are broken. | The blue cable and the red plug are broken.
The customer pays the shop. | The shop pays the customer.
Log errors to stderr. | Log warnings to stderr.
I work in Berlin. | I live in Berlin.
The key expires after 30 days. | The key expires within 30 days.
Write the code in C. | Write the code in C++.
Does the proxy use TLS? | The proxy uses TLS.
The temperature is -5 degrees. | The temperature is 5 degrees.
Anna wants to hire Bob. | Bob wants to hire Anna.
The internal report is done. | The intern report is done.
Sync the phone with the laptop. | Sync the laptop with the phone.
Alerts go to the night shift. | Alerts go to the day shift.
The service is always slow. | The service is sometimes slow.
"""
)

CHINESE: Final = _pairs(
    """
ComfyUI 监听 8188 端口。 | ComfyUI 监听 8189 端口。
网关版本是 1.24。 | 网关版本是 1.25。
用中文回答。 | 用中文写记忆。
用中文回答。 | 用英文回答。
甲服务依赖乙服务。 | 乙服务依赖甲服务。
前端调用后端。 | 后端调用前端。
小王管理小李。 | 小李管理小王。
小王被小李管理。 | 小李被小王管理。
小王喜欢小李。 | 小李喜欢小王。
小王比小李高。 | 小李比小王高。
把文件从测试环境复制到生产环境。 | 把文件从生产环境复制到测试环境。
我们从杭州搬到了成都。 | 我们从成都搬到了杭州。
先跑测试再部署。 | 先部署再跑测试。
周五部署。 | 周五不要部署。
缓存已启用。 | 缓存没有启用。
缓存打开着。 | 缓存关闭着。
我喝咖啡。 | 我不喝咖啡。
我不再用 Vim。 | 我用 Vim。
我以前住在苏州。 | 我住在苏州。
接口以前在 9000 端口。 | 接口现在在 9000 端口。
我们会迁移到 Postgres。 | 我们迁移到了 Postgres。
我买了车。 | 我想买车。
周一发布。 | 周二发布。
每天备份数据库。 | 每周备份数据库。
凌晨三点备份。 | 下午三点备份。
备份保留七天。 | 备份保留七周。
上限是 10 MB。 | 上限是 10 GB。
至少三个人审核。 | 至多三个人审核。
重试超过五次就报警。 | 重试低于五次就报警。
所有测试必须通过。 | 部分测试必须通过。
所有管理员都是用户。 | 所有用户都是管理员。
只有小王可以部署。 | 小王只可以部署。
小王可以部署。 | 小王必须部署。
Makefile 里用制表符。 | Python 文件里用制表符。
测试里用模拟数据。 | 除了测试都用模拟数据。
用三个节点和五个队列。 | 用五个节点和三个队列。
小王喜欢茶，小李喜欢咖啡。 | 小王喜欢咖啡，小李喜欢茶。
他负责账单服务。 | 她负责账单服务。
我负责账单服务。 | 小王负责账单服务。
我妹妹住在西安。 | 我弟弟住在西安。
如果构建失败就重启节点。 | 如果节点失败就重启构建。
磁盘满了就重启。 | 磁盘没满就重启。
测试环境的数据库在 db1。 | 生产环境的数据库在 db1。
配置在 /etc/app/main.toml。 | 配置在 /etc/app/test.toml。
变量叫 user_id。 | 变量叫 order_id。
会议改到了十点半。 | 会议改到了十一点半。
茶比咖啡好喝。 | 咖啡比茶好喝。
Redis 比 Postgres 快。 | Redis 比 Postgres 慢。
红色的线和蓝色的插头坏了。 | 蓝色的线和红色的插头坏了。
客户付钱给商店。 | 商店付钱给客户。
错误写到日志里。 | 警告写到日志里。
我在北京工作。 | 我在北京住。
密钥三十天之后过期。 | 密钥三十天以内过期。
代理用 TLS 吗？ | 代理用 TLS。
温度是 -5 度。 | 温度是 5 度。
小王想雇用小李。 | 小李想雇用小王。
报警发给夜班。 | 报警发给白班。
服务总是很慢。 | 服务有时很慢。
主库在上海，从库在海口。 | 主库在海口，从库在上海。
日志写在桌子上面。 | 日志写在桌子下面。
我喜欢蜂蜜。 | 我喜欢蜜蜂。
这个项目用四个空格缩进。 | 那个项目用四个空格缩进。
小王向小李汇报。 | 小李向小王汇报。
提交信息用英文写。 | 注释用英文写。
"""
)

FURTHER: Final = _pairs(
    """
Anna likes tea and Bob coffee. | Anna likes coffee and Bob tea.
Tea in the morning, coffee in the evening. | Coffee in the morning, tea in the evening.
node1 mirrors node2 | node2 mirrors node1
web1 is ahead of web2 | web2 is ahead of web1
The parent kills the child | The child kills the parent
grep shadows ripgrep | ripgrep shadows grep
The lamp is on the table | The table is on the lamp
Alice told Bob to restart the server | Bob told Alice to restart the server
The test server is a server | The server test is a server
The primary is the replica's source | The replica is the primary's source
Use single quotes, not double quotes | Use double quotes, not single quotes
Prefer composition over inheritance | Prefer inheritance over composition
I prefer tea to coffee | I prefer coffee to tea
Never commit secrets | Always commit secrets
Never commit secrets | Commit secrets never to main
The timeout is 30s | The timeout is 30ms
The timeout is 30 s | The timeout is 300 s
Reply within 2 hours | Reply after 2 hours
Bob reviewed Anna's patch | Anna reviewed Bob's patch
Bob's boss is Anna | Anna's boss is Bob
Anna is Bob's mother | Bob is Anna's mother
The build depends on the tests passing | The tests depend on the build passing
The db in Berlin replicates to the db in Paris | The db in Paris replicates to the db in Berlin
Users may not delete files | Users may delete files
Users can't delete files | Users can delete files
It isn't true that the disk is full | It is true that the disk is full
Nobody uses the API | Everybody uses the API
None of the tests pass | All of the tests pass
Few customers complain | Many customers complain
The first backup failed | The second backup failed
Half of the nodes are down | All of the nodes are down
Anna said the release is late | The release is late
The release might be late | The release is late
Maybe we use Rust | We use Rust
We plan to use Rust | We use Rust
We want to use Rust | We use Rust
We stopped using Rust | We use Rust
We considered Rust | We use Rust
Bob thinks the cache is broken | Anna thinks the cache is broken
The meeting is at 10 in room 4 | The meeting is at 4 in room 10
Ship 12 units to Oslo and 7 to Rome | Ship 7 units to Oslo and 12 to Rome
Turn off logging in production | Turn on logging in production
Open the window at night | Close the window at night
Open port 80 and close port 443 | Open port 443 and close port 80
The left door is shut and the right door open | The right door is shut and the left door open
x > y | y > x
x > 5 | x < 5
a == b | a != b
Write docs for users | Write docs with users
Talk to the team about Anna | Talk to Anna about the team
Send Anna the report | Send the report without Anna
Give Bob the keys of Anna | Give Anna the keys of Bob
Give Bob Anna's keys | Give Anna Bob's keys
My name is Lee | Her name is Lee
Their office is in Kyoto | Our office is in Kyoto
The library is free for students | The library is free except for students
Check this before merging | Merge before checking this
Dogs chase cats | Cats chase dogs
Microsoft acquired GitHub | GitHub acquired Microsoft
The master branch was renamed to main | The main branch was renamed to master
v1 replaces v2 | v2 replaces v1
Version 2 supersedes version 1 | Version 1 supersedes version 2
Step 1 comes after step 2 | Step 2 comes after step 1
The queue has 3 readers and 1 writer | The queue has 1 reader and 3 writers
Anna owes Bob 20 euros | Bob owes Anna 20 euros
Anna sold Bob a car | Bob sold Anna a car
Anna is older than Bob | Bob is older than Anna
Bob is Anna's friend, not Carl's | Bob is Carl's friend, not Anna's
Carl, not Bob, broke the build | Bob, not Carl, broke the build
The API returns JSON, the CLI returns text | The API returns text, the CLI returns JSON
The API returns JSON and not XML | The API returns XML and not JSON
If it rains, we stay; if not, we go | If it rains, we go; if not, we stay
Cache reads but not writes | Cache writes but not reads
Start the cache when the server stops | Stop the cache when the server starts
The owner allowed Bob but not Anna | The owner allowed Anna but not Bob
Don't use tabs, use spaces | Don't use spaces, use tabs
the customer is important | the custom is imported
She is leaving | She left
She has left | She is left
He had a dog | He has a dog
He had been a pilot | He is a pilot
I have to pay | I have paid
I should have paid | I should pay
Server A is up and server B is down | Server B is up and server A is down
Port 80 forwards to 8080 | Port 8080 forwards to 80
Block traffic from 10.0.0.1 to 10.0.0.2 | Block traffic from 10.0.0.2 to 10.0.0.1
10.0.0.1 pings 10.0.0.2 | 10.0.0.2 pings 10.0.0.1
甲是乙的老师 | 乙是甲的老师
小王打了小李 | 小李打了小王
小王把书给了小李 | 小李把书给了小王
猫追狗 | 狗追猫
主库同步到从库 | 从库同步到主库
从库从主库同步 | 主库从从库同步
节点1同步节点2 | 节点2同步节点1
小王的老板是小李 | 小李的老板是小王
不要用制表符，用空格 | 不要用空格，用制表符
用单引号不用双引号 | 用双引号不用单引号
先编译后测试 | 先测试后编译
编译在测试之前 | 测试在编译之前
会议在三号楼四层 | 会议在四号楼三层
开 80 端口关 443 端口 | 开 443 端口关 80 端口
服务器甲在线，服务器乙离线 | 服务器乙在线，服务器甲离线
听说发布推迟了 | 发布推迟了
可能会推迟发布 | 会推迟发布
我们打算用 Rust | 我们用 Rust
我们没用过 Rust | 我们用过 Rust
我们考虑过 Rust | 我们用 Rust
没有人用这个接口 | 所有人用这个接口
大部分节点正常 | 小部分节点正常
我吃过午饭了 | 我吃午饭
他曾是飞行员 | 他是飞行员
左边的门锁着，右边的门开着 | 右边的门锁着，左边的门开着
小王不喜欢茶，小李喜欢 | 小李不喜欢茶，小王喜欢
缓存读取不缓存写入 | 缓存写入不缓存读取
小李说小王病了 | 小王说小李病了
我欠小王二十块 | 小王欠我二十块
十二个给上海，七个给北京 | 七个给上海，十二个给北京
上海人多北京人少 | 北京人多上海人少
接口返回文本，命令行返回表格 | 接口返回表格，命令行返回文本
晚上关窗 | 晚上开窗
我爱你 | 你爱我
妈妈教女儿弹琴 | 女儿教妈妈弹琴
他让我去上海 | 我让他去上海
她送我一本书 | 我送她一本书
老师批评了学生 | 学生批评了老师
上午开会下午写代码 | 下午开会上午写代码
早上喝茶，晚上喝咖啡 | 早上喝咖啡，晚上喝茶
只在周末跑步 | 周末只跑步
不是所有测试都通过 | 所有测试都不通过
每个人都不喜欢 | 不是每个人都喜欢
除了小王都同意 | 只有小王同意
北京到上海的票 | 上海到北京的票
苹果比梨贵 | 梨比苹果贵
先审核再合并 | 先合并再审核
如果下雨就不去 | 如果不下雨就去
"""
)
"""Written after the rules, which merged 11 of them at first sight and have been mended since."""

BLIND: Final = _pairs(
    """
The mobile app talks to the gateway. | The gateway talks to the mobile app.
Ines mentors Karim. | Karim mentors Ines.
The lock file is older than the manifest. | The manifest is older than the lock file.
The queue drains before the worker starts. | The worker starts before the queue drains.
Reviews are required for main. | Reviews are required except for main.
The door code is 4411. | The door code is 4141.
Grafana reads from Loki. | Loki reads from Grafana.
Ship to Madrid by train. | Ship to Madrid by plane.
Keep the window open. | Keep the window closed.
The intern may read prod. | The intern may not read prod.
We bought the licence. | We will buy the licence.
Two of the five nodes are idle. | Five of the two nodes are idle.
Ask Lena before calling Omar. | Ask Omar before calling Lena.
Use UTC in logs and local time in the UI. | Use local time in logs and UTC in the UI.
The invoice was paid by Nora. | Nora was paid by the invoice.
Omar was hired by Lena. | Lena was hired by Omar.
The red team attacks the blue team. | The blue team attacks the red team.
The child process watches the parent process. | The parent process watches the child process.
Never reboot db1 without asking. | Never ask without rebooting db1.
He reports to her. | She reports to him.
The dog bit the neighbour. | The neighbour bit the dog.
Python wraps the C library. | The C library wraps Python.
The alarm is set to 6:15. | The alarm is set to 6:50.
Rotate keys every 30 days. | Rotate keys every 90 days.
I moved out of Turin. | I moved to Turin.
Sara lent Tim the bike. | Tim lent Sara the bike.
Emails from Sara to Tim are archived. | Emails from Tim to Sara are archived.
My left knee hurts. | My right knee hurts.
Only weekdays count. | Weekdays only count.
The minimum is 4 characters. | The maximum is 4 characters.
网关比代理稳定。 | 代理比网关稳定。
小赵教小钱弹吉他。 | 小钱教小赵弹吉他。
小赵借给小钱一百块。 | 小钱借给小赵一百块。
日志从甲机同步到乙机。 | 日志从乙机同步到甲机。
夏天开空调，冬天开暖气。 | 夏天开暖气，冬天开空调。
父进程监控子进程。 | 子进程监控父进程。
红队攻击蓝队。 | 蓝队攻击红队。
周报发给小赵，抄送小钱。 | 周报发给小钱，抄送小赵。
未经审批不得上线。 | 审批后才能上线。
我搬出了苏州。 | 我搬进了苏州。
左膝疼。 | 右膝疼。
最少四个字符。 | 最多四个字符。
先问小赵再找小钱。 | 先问小钱再找小赵。
除了周末都上班。 | 周末都上班。
日志用 UTC，界面用本地时间。 | 日志用本地时间，界面用 UTC。
小赵被小钱雇用。 | 小钱被小赵雇用。
我爸爸比妈妈大三岁。 | 我妈妈比爸爸大三岁。
订单服务通知库存服务。 | 库存服务通知订单服务。
这台机器不能重启。 | 这台机器能重启。
密钥每三十天轮换。 | 密钥每九十天轮换。
温度是-5度 | 温度是5度
数据在/srv/Data | 数据在/srv/data
"""
)
"""Written last: of the first 50 none was merged at first sight; the last two mended the rules."""
