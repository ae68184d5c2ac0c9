"""Talk with what the rules are to find in it, exactly; all written by hand.

Each paragraph is one episode: ``<`` lines are turns before it, the ``>`` line is the episode with
its speaker (``owner``: nobody named, ``agent``: an agent's own note), and each ``=`` line is one
finding: category, decay class, clarity, what it rests on if anything, and the statement. Said on
Wednesday, 13 May 2026.
"""

# ruff: noqa: E501  # a case is a line

from __future__ import annotations

from typing import Final

ENGLISH: Final = r"""
    > owner: I prefer tabs over spaces.
    = preference user_pref 0.9 | The owner prefers tabs over spaces.

    > owner: I work as a vet in Bristol.
    = fact user_pref 0.9 | The owner works as a vet in Bristol.

    > owner: I don't eat shellfish.
    = fact user_pref 0.9 | The owner doesn't eat shellfish.

    > owner: I've moved my office to the attic.
    = fact user_pref 0.9 | The owner has moved the owner's office to the attic.

    > owner: I'm allergic to penicillin.
    = preference user_pref 0.9 | The owner is allergic to penicillin.

    > owner: My sister Ines lives in Porto.
    = fact user_pref 0.9 | The owner's sister Ines lives in Porto.

    > owner: My laptop has 32 GB of RAM and runs Debian 12.
    = fact system_fact 0.9 | The owner's laptop has 32 GB of RAM and runs Debian 12.

    > owner: We use Postgres 16 for billing.
    = fact system_fact 0.75 | We use Postgres 16 for billing.

    > owner: The API listens on port 8080.
    = fact system_fact 0.9 | The API listens on port 8080.

    > owner: The backup goes to /mnt/vault every night at 02:30.
    = fact system_fact 0.9 | The backup goes to /mnt/vault every night at 02:30.

    > owner: Call me Alex.
    = preference user_pref 0.9 | Call the owner Alex.

    > owner: I hate early meetings and I never take calls before ten.
    = preference user_pref 0.9 | The owner hates early meetings and the owner never takes calls before ten.

    > owner: Never restart the database during office hours.
    = constraint proj_context 0.9 | Never restart the database during office hours.

    > owner: Please always reply in German.
    = constraint user_pref 0.9 | Always reply in German.

    > owner: Don't use port 3000, it is taken by Grafana.
    = constraint proj_context 0.9 | Don't use port 3000, it is taken by Grafana.

    > owner: Remember this: the alarm code is in the blue folder.
    = fact system_fact 0.9 | The alarm code is in the blue folder.

    > owner: The export must finish within 20 minutes.
    = constraint user_pref 0.9 | The export must finish within 20 minutes.

    > owner: From now on we deploy on Tuesdays only.
    = decision proj_context 0.75 | From now on we deploy on Tuesdays only.

    > owner: We decided to use Redis for the queue because it survives restarts.
    = decision proj_context 0.75 | We decided to use Redis for the queue because it survives restarts.

    > owner: The old disk is full. Therefore we moved the logs to /var/big.
    = fact system_fact 0.9 | The old disk is full.
    = fact system_fact 0.75 0 | We moved the logs to /var/big.

    > owner: I chose the red bike. It was cheaper than the blue one.
    = decision proj_context 0.9 | The owner chose the red bike. It was cheaper than the blue one.

    > owner: Postgres was too slow for the feed. So we switched to ClickHouse. That's why the feed needs its own server.
    = fact system_fact 0.9 | Postgres was too slow for the feed.
    = decision proj_context 0.75 0 | We switched to ClickHouse.
    = fact system_fact 0.9 1 | The feed needs its own server.

    > owner: Which port does Grafana use?

    > owner: Can you rename the folder?

    > owner: do you know where the keys are

    > owner: If I were rich I would buy a boat.

    > owner: I wish I had more time for chess.

    > owner: Imagine we had ten servers.

    > owner: Maybe I will learn Rust this winter.
    = fact system_fact 0.5 | Maybe the owner will learn Rust this winter.

    > owner: I think the router is broken.

    > owner: I heard that Marta quit her job.
    = fact user_pref 0.6 | The owner heard that Marta quit her job.

    > owner: Tom said the release slips to June.
    = fact proj_context 0.6 | Tom said the release slips to June.

    > owner: If the disk is full, delete the oldest snapshot.
    = fact system_fact 0.7 | If the disk is full, delete the oldest snapshot.

    > owner: Suppose the cluster fails.

    > owner: I finished the tax return yesterday, can you believe it?
    = fact user_pref 0.9 | The owner finished the tax return on 12 May 2026.

    > owner: Our build takes 14 minutes - is that normal?
    = fact user_pref 0.75 | Our build takes 14 minutes.

    > owner: Thanks, that helps a lot!

    > owner: Good morning!

    > owner: Sounds great, let's do it.

    > owner: lol ok

    > owner: I met the landlord yesterday.
    = fact user_pref 0.9 | The owner met the landlord on 12 May 2026.

    > owner: The lease ends next month.
    = fact system_fact 0.9 | The lease ends in June 2026.

    > owner: I visited my parents last weekend.
    = fact user_pref 0.9 | The owner visited the owner's parents on the weekend of 9–10 May 2026.

    > owner: The dentist moved my appointment to tomorrow.
    = fact user_pref 0.9 | The dentist moved the owner's appointment to 14 May 2026.

    > owner: I bought the tent three days ago.
    = fact user_pref 0.9 | The owner bought the tent on 10 May 2026.

    > owner: I started running two months ago.
    = fact user_pref 0.9 | The owner started running two months before 13 May 2026.

    > owner: My flight leaves tomorrow evening.
    = fact user_pref 0.9 | The owner's flight leaves on the evening of 14 May 2026.

    > owner: The audit was last year.
    = fact system_fact 0.9 | The audit was in 2025.

    > owner: I spoke to the bank this morning.
    = fact user_pref 0.9 | The owner spoke to the bank on the morning of 13 May 2026.

    > owner: On 3 March 2026 the contract was signed.
    = fact system_fact 0.9 | On 3 March 2026 the contract was signed.

    > owner: Nextcloud runs on the small server. It needs 4 GB of RAM.
    = fact system_fact 0.9 | Nextcloud runs on the small server.
    = fact system_fact 0.9 | Nextcloud needs 4 GB of RAM.

    > owner: Ada is our new lawyer. She speaks Polish.
    = fact user_pref 0.75 | Ada is our new lawyer.
    = fact system_fact 0.9 | Ada speaks Polish.

    > owner: It keeps crashing.

    > owner: Ben and Carla own the shop. They live upstairs.
    = fact system_fact 0.9 | Ben and Carla own the shop. They live upstairs.

    > owner: Grafana talks to Prometheus. It listens on port 9090.
    = fact system_fact 0.9 | Grafana talks to Prometheus. It listens on port 9090.

    > owner: ## Ports\n\nThe services use these ports:\n- grafana: 3001\n- the wiki on 8090\n\nNothing else is open.
    = fact system_fact 0.9 | The services use these ports: grafana: 3001
    = fact system_fact 0.9 | The services use these ports: the wiki on 8090.
    = fact system_fact 0.9 | Nothing else is open.

    > owner: comfy:\n  port: 8188\n  listen: 0.0.0.0\nmodel_dir: /data/models
    = fact system_fact 0.9 | comfy.port: 8188
    = fact system_fact 0.9 | comfy.listen: 0.0.0.0
    = fact system_fact 0.9 | model_dir: /data/models

    > owner: MAX_JOBS=4\nexport LOG_LEVEL=debug
    = fact system_fact 0.9 | MAX_JOBS=4
    = fact system_fact 0.9 | LOG_LEVEL=debug

    > owner: To rebuild the index:\n```sh\nmake index\n```
    = template code_snippet 0.9 | To rebuild the index:\n```sh\nmake index\n```

    > owner: ```python\nprint('hello')\n```

    > owner: To clear the cache, run `make clean`.
    = skill tool_usage 0.9 | To clear the cache, run `make clean`.

    > owner: 1. Stop the worker on node-3.\n2. Copy /etc/app.conf to the new host.
    = fact system_fact 0.9 | Stop the worker on node-3.
    = fact system_fact 0.9 | Copy /etc/app.conf to the new host.

    > owner: | port | service |\n| --- | --- |\n| 9000 | minio |
    = fact system_fact 0.9 | port: 9000; service: minio

    > owner: user: I adopted a cat named Miso last week.\nassistant: Congratulations! Cats sleep up to 16 hours a day.\nuser: She is two years old.
    = fact user_pref 0.9 | The owner adopted a cat named Miso in the week of 4–10 May 2026.

    > owner: user: please move the cron job to 4 am\nassistant: Done, I moved the cron job to 04:00. Anything else?
    = fact system_fact 0.9 | The assistant moved the cron job to 04:00.

    > owner: The move: 1. The kiln goes to bay 4. 2. Ines keeps the spare key.
    = fact system_fact 0.9 | The move: 1. The kiln goes to bay 4. 2. Ines keeps the spare key.

    > owner: User: What is the capital of Peru?\nAssistant: The capital of Peru is Lima.

    > agent: The staging host stage-2 has a wrong clock.
    = fact system_fact 0.9 | The staging host stage-2 has a wrong clock.

    > agent: I changed the retry limit from 3 to 5 in worker.toml.
    = fact system_fact 0.9 | The assistant changed the retry limit from 3 to 5 in worker.toml.

    > Nora: Hey Liam! I adopted a greyhound from the shelter in May, his name is Pippin. How are you?
    = fact user_pref 0.9 | Nora adopted a greyhound from the shelter in May, his name is Pippin.

    > Nora: Thanks so much, that means a lot!

    < Nora: What's new with you?
    > Liam: I start at the observatory in Leeds next Monday, and my sister got me a telescope.
    = fact user_pref 0.9 | Liam starts at the observatory in Leeds on the next Monday after 13 May 2026, and Liam's sister got Liam a telescope.

    > Nora: Wow, congratulations! You deserve it. That sounds amazing.

    > Liam: We drove to Cornwall with Grandpa last Saturday and saw two seals.
    = fact user_pref 0.75 | Liam: We drove to Cornwall with Grandpa on 9 May 2026 and saw two seals.

    < Liam: What did you cook for the party?
    > Nora: A fish curry with coconut and lime.
    = fact system_fact 0.75 | Nora, asked "What did you cook for the party?": A fish curry with coconut and lime.

    < Liam: Nice picture!
    > Nora: It reminds me of home.

    > Liam: I used to play the cello but I sold mine in 2019 to pay for the move.
    = fact user_pref 0.75 | Liam: I used to play the cello but I sold mine in 2019 to pay for the move.

    > Nora: Life is all about balance, and small steps matter.

    > Liam: My brother Owen and I are building a wooden canoe in his garage; we bought cedar from a mill in Devon.
    = fact user_pref 0.75 | Liam: My brother Owen and I are building a wooden canoe in his garage; we bought cedar from a mill in Devon.

    < Liam: Any rituals?
    > Nora: I read Dune every summer and put flowers on my desk at the library in York.
    = fact user_pref 0.75 | Nora: I read Dune every summer and put flowers on my desk at the library in York.

    > Liam: I'd love to hear more about it, Nora.

    > Nora: I volunteer at the food bank on Elm Street every Thursday and teach knitting there.
    = pattern proj_context 0.75 | Nora: I volunteer at the food bank on Elm Street every Thursday and teach knitting there.

    > Liam: If only I had bought the house in Kent in 2020.

    > owner: stack:\n  ports:\n    - 8188\n    - 9000\n  image: app:1.4
    = fact system_fact 0.9 | stack.ports: 8188
    = fact system_fact 0.9 | stack.ports: 9000
    = fact system_fact 0.9 | stack.image: app:1.4

    > owner: Our compose file:\n```yaml\nweb:\n  port: 8080\n```\nIt lives in /srv/app.
    = fact system_fact 0.9 | web.port: 8080

    > owner: user: hey, the printer container keeps crashing since yesterday. I run it on the garage box.\nassistant: It seems that the disk is full. You could try removing old images.\nuser: ok, btw I always want a backup before you change a config.\nassistant: Great! I've saved a backup of print.toml to /backups. Is there anything else?
    = fact system_fact 0.9 | The printer container keeps crashing since 12 May 2026. The owner runs it on the garage box.
    = fact system_fact 0.75 | The owner: I always want a backup before you change a config.
    = fact system_fact 0.9 | The assistant has saved a backup of print.toml to /backups.

    < Liam: That vase is lovely! Did you paint it yourself?
    > Nora: I painted it in my pottery class in York on Sunday.
    = fact user_pref 0.75 | Nora, asked "That vase is lovely! Did you paint it yourself?": I painted it in my pottery class in York on Sunday.

    > Liam: Reminds me of my grandfather.

    > Liam: I had a great time there with Owen.

    > Nora: You won't believe it - I won the regional chess cup in Hull yesterday!
    = fact user_pref 0.9 | Nora won the regional chess cup in Hull on 12 May 2026!

    > Nora: Hello, friend, today is my birthday and my sister Ines flew in from Porto.
    = fact user_pref 0.9 | 13 May 2026 is Nora's birthday and Nora's sister Ines flew in from Porto.

    > Nora: Hey Liam, I'm so excited to tell you I started a weekend choir with a colleague.
    = fact user_pref 0.9 | Nora started a weekend choir with a colleague.

    < Liam: Anything new with the salon in Leeds?
    > Nora: Dyed my hair last week, it's copper now.
    = fact user_pref 0.75 | Nora: Dyed my hair in the week of 4–10 May 2026, it's copper now.
"""

CHINESE: Final = r"""
    > owner: 我喜欢喝乌龙茶，不喜欢咖啡。
    = preference user_pref 0.9 | 用户喜欢喝乌龙茶，不喜欢咖啡。

    > owner: 我在杭州做建筑师。
    = fact user_pref 0.9 | 用户在杭州做建筑师。

    > owner: 我对虾过敏。
    = fact user_pref 0.9 | 用户对虾过敏。

    > owner: 我不吃香菜。
    = fact user_pref 0.9 | 用户不吃香菜。

    > owner: 我妹妹住在青岛。
    = fact user_pref 0.9 | 用户的妹妹住在青岛。

    > owner: 我们的网站用 Postgres 16。
    = fact system_fact 0.75 | 我们的网站用 Postgres 16。

    > owner: 接口监听 8080 端口。
    = fact system_fact 0.9 | 接口监听 8080 端口。

    > owner: 备份每天凌晨两点半写到 /mnt/vault。
    = fact system_fact 0.9 | 备份每天凌晨两点半写到 /mnt/vault。

    > owner: 叫我小舟就行。
    = preference user_pref 0.9 | 叫用户小舟就行。

    > owner: 我讨厌早会，从不在十点前接电话。
    = preference user_pref 0.9 | 用户讨厌早会，从不在十点前接电话。

    > owner: 上班时间禁止重启数据库。
    = constraint proj_context 0.9 | 上班时间禁止重启数据库。

    > owner: 请一直用英文回答。
    = constraint user_pref 0.9 | 请一直用英文回答。

    > owner: 不要用 3000 端口，Grafana 占用了。
    = constraint proj_context 0.9 | 不要用 3000 端口，Grafana 占用了。

    > owner: 请记住：报警器的密码写在蓝色文件夹里。
    = fact system_fact 0.9 | 报警器的密码写在蓝色文件夹里。

    > owner: 导出必须在20分钟内完成。
    = constraint user_pref 0.9 | 导出必须在20分钟内完成。

    > owner: 以后我们只在周二发布。
    = fact user_pref 0.75 | 以后我们只在周二发布。

    > owner: 我们决定用 Redis 做队列，因为它重启后不丢数据。
    = decision proj_context 0.75 | 我们决定用 Redis 做队列，因为它重启后不丢数据。

    > owner: 旧硬盘满了。所以我们把日志搬到了 /var/big。
    = fact system_fact 0.9 | 旧硬盘满了。
    = fact system_fact 0.75 0 | 我们把日志搬到了 /var/big。

    > owner: 数据库太慢。因此我们改用 ClickHouse。
    = fact system_fact 0.9 | 数据库太慢。
    = decision proj_context 0.75 0 | 我们改用 ClickHouse。

    > owner: Grafana 用哪个端口？

    > owner: 你能把文件夹改个名字吗

    > owner: 你知道钥匙在哪里吗？

    > owner: 要是我有钱就好了。

    > owner: 假如服务器坏了怎么办？

    > owner: 如果磁盘满了，就删除最旧的快照。
    = fact system_fact 0.7 | 如果磁盘满了，就删除最旧的快照。

    > owner: 我可能会去学潜水。
    = fact user_pref 0.5 | 用户可能会去学潜水。

    > owner: 我觉得路由器坏了。
    = fact user_pref 0.5 | 用户觉得路由器坏了。

    > owner: 听说老周辞职了。
    = fact system_fact 0.6 | 听说老周辞职了。

    > owner: 同事说发布推迟到六月。
    = fact system_fact 0.6 | 同事说发布推迟到六月。

    > owner: 我不知道怎么配置代理。
    = fact system_fact 0.9 | 用户不知道怎么配置代理。

    > owner: 昨天我报完税了，你敢信吗？
    = fact user_pref 0.9 | 2026年5月12日用户报完税了。

    > owner: 我们的构建要14分钟，这正常吗？
    = fact user_pref 0.75 | 我们的构建要14分钟。

    > owner: 谢谢，帮大忙了！

    > owner: 早上好！

    > owner: 好的，没问题。

    > owner: 我昨天见了房东。
    = fact user_pref 0.9 | 用户2026年5月12日见了房东。

    > owner: 租约下个月到期。
    = fact system_fact 0.9 | 租约2026年6月到期。

    > owner: 上周末我去看了爸妈。
    = fact user_pref 0.9 | 2026年5月9日至10日的周末用户去看了爸妈。

    > owner: 牙医把预约改到了明天。
    = fact system_fact 0.9 | 牙医把预约改到了2026年5月14日。

    > owner: 我三天前买了帐篷。
    = fact user_pref 0.9 | 用户2026年5月10日买了帐篷。

    > owner: 两个月前我开始跑步。
    = fact user_pref 0.9 | 2026年5月13日的两个月前用户开始跑步。

    > owner: 我的航班明晚起飞。
    = fact user_pref 0.9 | 用户的航班2026年5月14日晚上起飞。

    > owner: 去年做过一次审计。
    = fact system_fact 0.9 | 2025年做过一次审计。

    > owner: 今天早上我和银行通了电话。
    = fact user_pref 0.9 | 2026年5月13日早上用户和银行通了电话。

    > owner: 合同是2026年3月3日签的。
    = fact system_fact 0.9 | 合同是2026年3月3日签的。

    > owner: 下周三我去苏州出差。
    = fact user_pref 0.9 | 2026年5月20日用户去苏州出差。

    > owner: Nextcloud 跑在小服务器上。它需要 4 GB 内存。
    = fact system_fact 0.9 | Nextcloud 跑在小服务器上。
    = fact system_fact 0.9 | Nextcloud 需要 4 GB 内存。

    > owner: 它总是崩溃。

    > owner: 小林是新来的律师。她会说波兰语。
    = fact system_fact 0.9 | 小林是新来的律师。
    = fact system_fact 0.9 | 小林会说波兰语。

    > owner: 他们住在楼上。

    > owner: ## 端口\n\n各服务的端口：\n- grafana 用 3001\n- 维基用 8090\n
    = fact system_fact 0.9 | 各服务的端口：grafana 用 3001。
    = fact system_fact 0.9 | 各服务的端口：维基用 8090。

    > owner: 要重建索引：\n```sh\nmake index\n```
    = template code_snippet 0.9 | 要重建索引：\n```sh\nmake index\n```

    > owner: 想清缓存就运行 make clean。
    = skill tool_usage 0.9 | 想清缓存就运行 make clean。

    > owner: 用户：上周我领养了一只叫团子的猫。\n助手：恭喜！猫每天要睡十六个小时。\n用户：它两岁了。
    = fact user_pref 0.9 | 2026年5月4日至10日这一周用户领养了一只叫团子的猫。

    > owner: 用户：把定时任务改到四点\n助手：好的，我已经把定时任务改到了04:00。还需要什么吗？
    = fact user_pref 0.9 | 助手已经把定时任务改到了04:00。

    > agent: 预发布主机 stage-2 的时钟不对。
    = fact system_fact 0.9 | 预发布主机 stage-2 的时钟不对。

    > agent: 我把 worker.toml 里的重试次数从 3 改成了 5。
    = decision proj_context 0.9 | 助手把 worker.toml 里的重试次数从 3 改成了 5。

    > 沈禾: 嗨，我五月在收容所领养了一只灰狗，名字叫豆包。你最近怎么样？
    = fact user_pref 0.9 | 沈禾五月在收容所领养了一只灰狗，名字叫豆包。

    > 沈禾: 谢谢你，太感动了！

    < 沈禾: 最近有什么新鲜事吗？
    > 陆远: 下周一我去紫金山天文台上班，姐姐送了我一台望远镜。
    = fact user_pref 0.9 | 2026年5月18日陆远去紫金山天文台上班，姐姐送了陆远一台望远镜。

    > 沈禾: 听起来真不错，恭喜你！

    > 陆远: 上周六我们和外公开车去了舟山，看到了两只海豹。
    = fact user_pref 0.75 | 陆远：2026年5月9日我们和外公开车去了舟山，看到了两只海豹。

    < 陆远: 聚会上你做了什么菜？
    > 沈禾: 椰汁咖喱鱼。
    = fact system_fact 0.75 | 沈禾（被问“聚会上你做了什么菜？”）：椰汁咖喱鱼。

    < 陆远: 照片真好看！
    > 沈禾: 它让我想起老家。

    > 陆远: 我以前拉大提琴，2019年为了搬家把琴卖了。
    = fact user_pref 0.9 | 陆远以前拉大提琴，2019年为了搬家把琴卖了。

    > 沈禾: 生活就是要平衡，一步一步来很重要。

    > 陆远: 我爸和我弟在车库里造木船，木头是从丽水买的。
    = fact user_pref 0.9 | 陆远的爸和陆远的弟在车库里造木船，木头是从丽水买的。

    > 沈禾: 我每周四在榆树街的食物银行做义工，还教大家织毛衣。
    = pattern proj_context 0.9 | 沈禾每周四在榆树街的食物银行做义工，还教大家织毛衣。

    > 陆远: 你应该多休息，祝你早日康复。

    > owner: 我的 NAS 型号是 DS920+，IP 是 192.168.1.20。
    = fact system_fact 0.9 | 用户的 NAS 型号是 DS920+，IP 是 192.168.1.20。

    > owner: 把 default branch 改成 main 了。
    = decision proj_context 0.9 | 把 default branch 改成 main 了。

    > owner: 我用 VS Code 写 Python。
    = fact system_fact 0.9 | 用户用 VS Code 写 Python。

    > owner: 用户：我更喜欢用 pnpm，不用 npm。\n助手：明白，我已经把 CI 脚本从 npm 改成了 pnpm。建议您定期轮换密码。
    = preference user_pref 0.9 | 用户更喜欢用 pnpm，不用 npm。
    = decision proj_context 0.9 | 助手已经把 CI 脚本从 npm 改成了 pnpm。

    > owner: 另外数据库密码放在 vault 里，别写进代码。
    = constraint proj_context 0.9 | 数据库密码放在 vault 里，别写进代码。

    < 陆远: 那个花瓶真漂亮！是你自己做的吗？
    > 沈禾: 昨天我在陶艺课上给它上了釉，颜色是天青。
    = fact user_pref 0.9 | 2026年5月12日沈禾在陶艺课上给它上了釉，颜色是天青。

    > 陆远: 今天我在图书馆发现了一本讲灯塔的书，叫《海边的信》，你听说过吗？
    = fact user_pref 0.9 | 2026年5月13日陆远在图书馆发现了一本讲灯塔的书，叫《海边的信》。

    > owner: 我爸说他周末来看我。
    = fact user_pref 0.6 | 用户的爸说他周末来看用户。
"""
