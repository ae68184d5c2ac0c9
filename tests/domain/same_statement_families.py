"""Families of ten wordings that are one statement: other order, inflection, courtesy, signs."""

from __future__ import annotations

from typing import Final


def _families(text: str) -> list[list[str]]:
    return [block.strip().splitlines() for block in text.strip().split("\n\n")]


ENGLISH: Final = _families(
    """
ComfyUI listens on port 8188.
Please remember: on port 8188 ComfyUI is listening!
Port 8188 is what ComfyUI listens on
Just so you know, comfyui listens on port 8188, thanks.
Listening on port 8188: ComfyUI
Could you please note that ComfyUI's listening on port 8188?
Hi! On port 8188, ComfyUI listens. Thank you!
COMFYUI LISTENS ON PORT 8188
As I said before, "ComfyUI" listens on port 8188...
By the way — it is port 8188 that ComfyUI listens on.

The owner prefers dark mode in all editors.
In all editors the owner prefers dark mode
In all editors, the owner prefers dark mode!
Please note that the owner prefers dark mode in all editors, thanks
Dark mode is preferred by the owner in all editors.
Dark mode is what the owner prefers in all editors
Kind reminder: the owner is preferring dark mode in all editors.
the owner prefers dark mode, in all editors
Hello, could you remember that the owner prefers dark mode in all editors? Cheers.
Dark mode in all editors is what the owner prefers.

The nightly backup of the billing database starts at 02:30.
At 02:30 the nightly backup of the billing database starts.
Please note: the nightly backup of the billing database is starting at 02:30
Starting at 02:30: the nightly backup of the billing database!
The billing database's nightly backup starts at 02:30.
Thanks! The nightly backups of the billing database start at 02:30.
FYI, at 02:30, the nightly backup of the billing database starts
Don't forget that the nightly backup of the billing database starts at 02:30, please.
It's at 02:30 that the nightly backup of the billing database starts
the nightly backup of the billing database starts at 02:30

Never deploy on Fridays.
Please never deploy on Fridays!
On Fridays, never deploy.
On Fridays never deploy, please
Never deploy on a Friday
Could you please never deploy on Fridays?
Reminder: never deploy on Fridays
I'd like you to never deploy on Fridays. Thank you.
never be deploying on Fridays
Hey, on Fridays: never deploy!

Anna manages the payments team.
The payments team is managed by Anna.
Please remember that Anna manages the payments team
Anna is managing the payments team!
anna manages the payments team, thanks
As a reminder, the payments team is managed by Anna.
It is Anna who manages the payments team
The payments team is what Anna manages
Just so you know: Anna manages the payments team
Note that Anna manages "the payments team".

Use tabs instead of spaces in Makefiles.
In Makefiles use tabs instead of spaces
In Makefiles, please use tabs instead of spaces.
Please use tabs instead of spaces in Makefiles, thank you!
Could you use tabs instead of spaces in Makefiles?
Using tabs instead of spaces in Makefiles
Make sure to use tabs instead of spaces in Makefiles.
In a Makefile use tabs instead of spaces
Instead of spaces use tabs in Makefiles
Hi there, use tabs instead of spaces in makefiles, many thanks

Our API gateway moved from eu-west-1 to eu-central-1 in March.
In March our API gateway moved from eu-west-1 to eu-central-1
In March, our API gateway moved to eu-central-1 from eu-west-1.
Our API gateway moved to eu-central-1 from eu-west-1 in March!
Please note that our API gateway moved from eu-west-1 to eu-central-1 in March.
From eu-west-1 to eu-central-1 our API gateway moved in March
As a quick reminder, our API gateway moved in March from eu-west-1 to eu-central-1
Our api gateway moved in March, from eu-west-1 to eu-central-1, thanks.
Note: in March our API gateway moved from eu-west-1 to eu-central-1
OUR API GATEWAY MOVED FROM EU-WEST-1 TO EU-CENTRAL-1 IN MARCH.

I am allergic to peanuts.
I'm allergic to peanuts!
Please remember that I'm allergic to peanuts
Remember, please: I am allergic to peanuts.
To peanuts I am allergic
To peanuts, I am allergic.
Keep in mind that I am allergic to peanuts, thanks so much
Hello! I am allergic to peanuts...
i am allergic to peanuts
I'm allergic to "peanuts".
"""
)

CHINESE: Final = _families(
    """
ComfyUI 监听在 8188 端口。
请记住，ComfyUI 监听着 8188 端口
8188 端口由 ComfyUI 监听！
谢谢！端口 8188 是 ComfyUI 在监听的
麻烦记一下：ComfyUI 监听 8188 端口，谢谢。
ComfyUI在8188端口监听
你好，ComfyUI 正在监听 8188 端口哦
ComfyUI监听的是8188端口
comfyui 监听 8188 端口
提醒一下，监听 8188 端口的是 ComfyUI

数据库每天凌晨三点备份。
每天凌晨三点备份数据库
数据库在每天凌晨 3 点备份
请注意，每天凌晨三点，数据库备份！
备份数据库：每天凌晨三点
麻烦你记住，数据库每天凌晨三点备份，谢谢
凌晨三点，数据库每天备份
数据库的备份在每天凌晨三点
数据库是在每天凌晨三点备份的
数据库备份是每天凌晨三点哦

主人在所有编辑器里喜欢深色模式。
在所有编辑器里，主人喜欢深色模式
主人喜欢深色模式，在所有编辑器里
请记住：主人在所有编辑器里喜欢深色模式，谢谢！
深色模式是主人在所有编辑器里喜欢的
主人在所有的编辑器里喜欢深色模式呢
主人在所有编辑器里都喜欢深色模式
你好，主人在全部编辑器里喜欢深色模式
在所有编辑器里主人喜欢的是深色模式
主人在所有编辑器中喜欢深色的模式

周五不要部署。
请周五不要部署
周五请不要部署，谢谢！
不要在周五部署
麻烦你不要在周五部署
在周五，不要部署！
星期五不要部署
拜托了，周五别部署
记住：周五不要部署哦
周五请勿部署

小林负责支付团队。
支付团队由小林负责
请记住，小林负责支付团队！
支付团队是小林负责的
负责支付团队的是小林
小林负责的是支付团队
你好，支付团队由小林负责，谢谢
小林负责着支付团队
提醒一下：小林负责支付团队哦
麻烦记一下，支付团队是由小林负责的

我对花生过敏。
请记住我对花生过敏
我对花生过敏哦！
对花生，我过敏
麻烦你记一下：我对花生过敏，谢谢
我是对花生过敏的
别忘了我对花生过敏
你好，我对花生过敏
提醒你，我对花生过敏呢
我对花生是过敏的

网关三月从上海机房迁移到了北京机房。
三月网关从上海机房迁移到了北京机房
请注意，网关三月从上海机房迁移到了北京机房
网关在三月从上海机房迁移到了北京机房！
三月，网关从上海机房迁移到了北京机房
网关从上海机房迁移到了北京机房，在三月
网关 3 月从上海机房迁移到了北京机房
谢谢，网关已经在三月从上海机房迁移到了北京机房
网关三月已从上海机房迁移到了北京机房
在三月，网关从上海机房迁移到了北京机房哦
"""
)

FURTHER: Final = _families(
    """
The Redis cache expires keys after 24 hours.
After 24 hours the Redis cache expires keys.
Keys expire in the Redis cache after 24 hours.
Please note that the Redis cache expires keys after 24 hours!
The Redis cache is expiring keys after 24 hours
Keys are expired by the Redis cache after 24 hours.
Hi, the Redis cache expires keys after 24 hours. Thanks!
Kindly remember: the Redis cache expires keys after 24 hours
the redis cache expires keys after 24 hours
After 24 hours, keys are expired by the Redis cache

My favourite programming language is Rust.
Rust is my favourite programming language.
Please remember that my favourite programming language is Rust
My favourite programming language: Rust!
Rust is the favourite programming language of mine
Could you note that my favourite programming language is Rust? Thank you
my favourite programming language is rust
Hey! My favourite programming language is Rust.
FYI: Rust is my favourite programming language
Rust's my favourite programming language.

The team holds its stand-up meeting every morning at 9:15.
Every morning at 9:15 the team holds its stand-up meeting.
At 9:15 every morning the team holds its stand-up meeting.
The stand-up meeting is held by the team every morning at 9:15.
Please keep in mind that the team holds its stand-up meeting every morning at 9:15.
The team is holding its stand-up meeting every morning at 9:15!
Every morning, at 9:15, the team holds its stand-up meeting
The team holds its stand-up meetings every morning at 9:15, thank you.
Just a reminder: the team holds its stand-up meeting at 9:15 every morning
the team holds its stand-up meeting at 9:15 every morning

The user lives in Amsterdam with two cats.
In Amsterdam the user lives with two cats.
The user is living in Amsterdam with two cats.
With two cats, the user lives in Amsterdam
The user lives with two cats in Amsterdam!
Please remember the user lives in Amsterdam with 2 cats
Thanks. The user lives in Amsterdam with two cats
The user lives in Amsterdam, with two cats.
the user, with two cats, lives in Amsterdam
Note that the user lives in Amsterdam with two cats

Always run the unit tests before pushing to main.
Before pushing to main, always run the unit tests.
Please always run the unit tests before pushing to main!
Always be running the unit tests before you push to main
Before pushing to main always run the unit tests, please
Could you always run the unit tests before pushing to main?
Always run unit tests before pushing to main
Make sure to always run the unit tests before pushing to main.
Remember to always run the unit tests before pushing to main, thanks
Run the unit tests always before pushing to main

用户最喜欢的编程语言是 Rust。
Rust 是用户最喜欢的编程语言
请记住，用户最喜欢的编程语言是 Rust
用户最喜欢的编程语言就是 Rust 哦
你好，Rust 是用户最喜欢的编程语言，谢谢
用户最喜欢的编程语言：Rust
麻烦记一下，用户最喜欢的编程语言是 Rust！
Rust是用户最喜欢的编程语言。
提醒一下，用户最喜欢的编程语言是Rust
用户的最喜欢的编程语言是 Rust

团队每天早上九点开站会。
每天早上九点团队开站会
团队在每天早上九点开站会
请注意，团队每天早上 9 点开站会！
每天早上九点，团队开站会
团队每天早上九点都开站会
早上九点，团队每天开站会
麻烦记住：团队每天早上九点开站会，谢谢
团队开站会是在每天早上九点
站会由团队每天早上九点开

Redis 缓存的键二十四小时后过期。
二十四小时后，Redis 缓存的键过期
Redis 缓存的键在 24 小时后过期！
请记住，Redis 缓存的键 24 小时后过期
Redis 缓存的键会在二十四小时后过期
Redis缓存的键二十四小时后就过期
你好，Redis 缓存的键二十四小时后过期，谢谢
在二十四小时后 Redis 缓存的键过期
Redis 缓存的键，二十四小时后过期
提醒一下，二十四小时后 Redis 缓存的键过期

推送到主分支之前必须跑单元测试。
必须在推送到主分支之前跑单元测试
推送到主分支之前，必须跑单元测试
请记住，推送到主分支之前必须跑单元测试！
在推送到主分支之前必须跑单元测试
推送到主分支之前，单元测试必须跑
麻烦你推送到主分支之前必须跑单元测试
推送到主分支之前务必跑单元测试
推送主分支之前必须跑单元测试哦
必须跑单元测试，在推送到主分支之前

用户和两只猫住在阿姆斯特丹。
用户跟两只猫住在阿姆斯特丹
用户住在阿姆斯特丹，和两只猫
请记住用户和两只猫住在阿姆斯特丹
在阿姆斯特丹，用户和两只猫住
用户和 2 只猫住在阿姆斯特丹！
和两只猫住在阿姆斯特丹的是用户
用户在阿姆斯特丹和两只猫住
你好，用户和两只猫居住在阿姆斯特丹，谢谢
提醒你，用户和两只猫住在阿姆斯特丹
"""
)
"""Written after the rules: 66 of 100 agreed at first sight, and a few of the misses mended them."""

BLIND: Final = _families(
    """
The owner's cat is called Miso.
Miso is what the owner's cat is called.
The owner's cat is named Miso.
Please remember that the owner's cat is called Miso!
The cat of the owner is called Miso
the owner's cat is called miso, thanks
Hi! The owner's cat is called Miso.
Miso is the name of the owner's cat.
Just so you know, the owner's cat is called Miso.
It's Miso that the owner's cat is called.

Production logs are stored in /var/log/app for 30 days.
For 30 days production logs are stored in /var/log/app.
In /var/log/app, production logs are stored for 30 days.
Please note: production logs are stored for 30 days in /var/log/app.
Production logs are being stored in /var/log/app for 30 days!
The production logs are stored in /var/log/app for 30 days, thank you
production logs are stored, for 30 days, in /var/log/app
FYI production logs are stored in /var/log/app for thirty days
Stored in /var/log/app for 30 days: production logs
Could you keep in mind that production logs are stored in /var/log/app for 30 days?

We use pnpm instead of npm in the frontend repo.
In the frontend repo we use pnpm instead of npm.
In the frontend repo, we are using pnpm instead of npm!
Please remember we use pnpm instead of npm in the frontend repo
Instead of npm we use pnpm in the frontend repo.
pnpm is used by us instead of npm in the frontend repo
In the frontend repo pnpm is what we use instead of npm
Thanks. We use pnpm, instead of npm, in the frontend repo.
We use pnpm in the frontend repo instead of npm
As a reminder: we use pnpm instead of npm in the frontend repo.

主人的猫叫年糕。
年糕是主人的猫
请记住，主人的猫叫年糕
主人的猫叫做年糕！
主人的猫名叫年糕
你好，主人的猫叫年糕，谢谢
麻烦记一下：主人的猫叫年糕
主人的猫就叫年糕哦
提醒一下，主人的猫叫年糕
叫年糕的是主人的猫

生产日志在 /var/log/app 保存三十天。
生产日志保存在 /var/log/app 三十天
在 /var/log/app，生产日志保存 30 天
请注意，生产日志在 /var/log/app 保存三十天！
生产日志会在 /var/log/app 保存三十天
三十天，生产日志在 /var/log/app 保存
生产日志在 /var/log/app 里保存三十天
谢谢，生产日志是在 /var/log/app 保存三十天的
生产日志在/var/log/app保存30天
麻烦记住，生产日志在 /var/log/app 保存三十天哦
"""
)
"""Written last: 43 of 50 agreed at first sight."""
