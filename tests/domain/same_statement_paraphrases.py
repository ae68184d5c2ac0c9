"""Pairs that say the same in other words; of them some share is known without a model."""

from __future__ import annotations

from typing import Final


def _pairs(text: str) -> list[tuple[str, str]]:
    lines = (line.partition(" | ") for line in text.strip().splitlines())
    return [(one, other) for one, _, other in lines]


ENGLISH: Final = _pairs(
    """
The staging server listens on port 5433. | On port 5433 the staging server is listening.
The owner likes green tea. | The owner loves green tea.
The team uses Postgres 16. | Postgres 16 is used by the team.
Anna owns the billing service. | The billing service belongs to Anna.
We deploy every Thursday. | Every Thursday we roll out.
My daughter is allergic to nuts. | Nuts trigger my daughter's allergy.
The backup takes two hours. | It takes 2 hours to run the backup.
The config lives in /etc/app.toml. | The configuration is stored in /etc/app.toml.
The default branch is main. | Main is the default branch.
Never commit secrets to the repo. | Don't ever commit secrets to the repository.
Use four spaces for indentation. | For indentation, use 4 spaces.
The meeting starts at 10:30 on Mondays. | On Mondays the meeting begins at 10:30.
Tom's phone number is 555-0199. | 555-0199 is the phone number of Tom.
The database password was rotated in May. | In May the database password was rotated.
I moved from Madrid to Lisbon last year. | Last year I moved to Lisbon from Madrid.
The API returns JSON. | JSON is returned by the API.
The CI pipeline runs on every push. | On every push the CI pipeline is running.
Write commit messages in English. | Commit messages should be in English.
The printer is broken. | The printer doesn't work.
I don't eat meat. | I am a vegetarian.
The logs are kept for 30 days. | Logs are retained for thirty days.
Bob is Carla's manager. | Bob manages Carla.
The service depends on Redis. | It is Redis that the service depends on.
The frontend is written in TypeScript. | The frontend is written in TS.
The owner prefers short answers. | Short answers are preferred by the owner.
Our office is in Dublin. | Dublin is where our office is.
The server has 64 GB of memory. | The server's memory is 64GB.
Please answer in French. | Answer in French, thanks.
Alice bought a car in June. | Alice purchased an automobile in June.
The job runs daily at 4 am. | The job runs every day at 4am.
The kids go to school by bus. | The children travel to school by bus.
The proxy forwards requests to port 9000. | Requests are forwarded by the proxy to port 9000.
The certificate expires in March 2027. | In March 2027 the certificate will expire.
I take my coffee without sugar. | No sugar in my coffee.
The test suite takes ten minutes. | The test suite needs 10 minutes.
The doctor told me to avoid salt. | The physician told me to avoid salt.
Our cluster runs Kubernetes 1.30. | Our cluster runs k8s 1.30.
The new laptop is quick. | The new laptop is fast.
Karl works as a nurse. | Karl's job is nursing.
The build cache is stored on node-3. | node-3 stores the build cache.
Use dark mode in the terminal. | In the terminal use the dark theme.
The website's colour is blue. | The color of the website is blue.
Maria speaks Spanish and Catalan. | Maria speaks Catalan and Spanish.
The queue holds at most 50 jobs. | No more than 50 jobs fit the queue.
If the disk is full, restart the worker. | Restart the worker if the disk is full.
The owner wakes up at six. | At 6 the owner wakes up.
The repo uses tabs, not spaces. | Not spaces but tabs are used in the repo.
Grandma's birthday is on 3 May. | 3 May is the birthday of grandma.
The app needs Python 3.12. | The app requires Python 3.12.
The release notes are written by Eva. | Eva writes the release notes.
Lunch is at noon. | We have lunch at 12.
I can't drink milk. | I cannot drink milk.
The heating is turned off at night. | At night the heating is turned off.
The staging environment has no TLS. | There is no TLS in staging.
The alerts go to the on-call engineer. | The on-call engineer gets the alerts.
We picked Rust for the parser. | For the parser we chose Rust.
The report is sent every Friday. | Every Friday, the report is sent.
Nina's dog is named Bruno. | The dog of Nina is called Bruno.
The sync job copies files from nas1 to nas2. | From nas1 to nas2 the sync job copies files.
The film was great, the owner said. | The owner said that the movie was great.
"""
)

CHINESE: Final = _pairs(
    """
测试服务器监听 5433 端口。 | 5433 端口由测试服务器监听。
主人喜欢绿茶。 | 主人喜爱绿茶。
团队使用 Postgres 16。 | 团队采用的是 Postgres 16。
账单服务归安娜管。 | 安娜负责账单服务。
我们每周四发布。 | 每周四我们发布。
我女儿对坚果过敏。 | 坚果会让我女儿过敏。
备份要两个小时。 | 备份需要花 2 小时。
配置文件在 /etc/app.toml。 | 配置文件位于 /etc/app.toml。
默认分支是 main。 | main 是默认分支。
不要把密码提交到仓库。 | 别把密码提交到仓库。
缩进用四个空格。 | 用 4 个空格缩进。
例会周一十点开始。 | 周一 10 点例会开始。
小陈的电话是 5550199。 | 5550199 是小陈的电话。
数据库密码五月换过了。 | 五月数据库密码换过了。
我去年从西安搬到了南京。 | 去年我从西安搬到了南京。
接口返回 JSON。 | JSON 由接口返回。
每次推送都会跑流水线。 | 流水线在每次推送时运行。
提交信息用英文写。 | 用英文写提交信息。
打印机坏了。 | 打印机不能用了。
我不吃肉。 | 我吃素。
日志保留三十天。 | 日志保留 30 天。
小周是小吴的经理。 | 小吴的经理是小周。
服务依赖 Redis。 | Redis 是服务所依赖的。
前端用 TypeScript 写。 | 前端是用 TypeScript 写的。
主人偏好简短的回答。 | 主人偏爱简短的回答。
我们的办公室在都柏林。 | 我们办公室位于都柏林。
服务器有 64 GB 内存。 | 服务器内存为 64GB。
请用法语回答。 | 用法语回答，谢谢。
小丽六月买了车。 | 六月小丽购买了车。
任务每天凌晨四点跑。 | 每天凌晨 4 点任务运行。
孩子坐公交上学。 | 小孩坐公交上学。
代理把请求转发到 9000 端口。 | 请求由代理转发到 9000 端口。
证书明年三月过期。 | 明年 3 月证书过期。
我喝咖啡不加糖。 | 我的咖啡不放糖。
测试要跑十分钟。 | 跑完测试要 10 分钟。
医生让我少吃盐。 | 大夫让我少吃盐。
集群跑 Kubernetes 1.30。 | 集群运行 k8s 1.30。
新电脑很快。 | 新计算机速度快。
小孙是护士。 | 小孙的职业是护士。
构建缓存存在 node-3。 | node-3 上存着构建缓存。
终端里用深色主题。 | 在终端里使用深色主题。
网站的颜色是蓝色。 | 网站颜色是蓝色。
玛丽会说西班牙语和法语。 | 玛丽会说法语和西班牙语。
队列最多五十个任务。 | 队列里任务不超过 50 个。
如果磁盘满了，重启节点。 | 磁盘满了的话，重启节点。
主人六点起床。 | 主人 6 点起床。
仓库用制表符，不用空格。 | 仓库不用空格，用制表符。
奶奶的生日是五月三号。 | 五月三号是奶奶的生日。
应用需要 Python 3.12。 | 应用要求 Python 3.12。
发布说明由小何写。 | 小何写发布说明。
中午吃午饭。 | 午饭在中午吃。
我不能喝牛奶。 | 牛奶我不能喝。
夜里关暖气。 | 晚上关暖气。
测试环境没有 TLS。 | 测试环境没 TLS。
报警发给值班工程师。 | 值班工程师会收到报警。
解析器我们选了 Rust。 | 我们的解析器选了 Rust。
周报每周五发。 | 每周五发周报。
小唐的狗叫布鲁诺。 | 小唐养的狗名叫布鲁诺。
同步任务把文件从 nas1 复制到 nas2。 | 同步任务从 nas1 复制文件到 nas2。
主人说那部电影很好看。 | 主人说那部影片好看。
"""
)
