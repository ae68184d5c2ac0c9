"""Word tables for `entities`: what a capital, a surname or an ending says, and what it does not."""

from __future__ import annotations

from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


SOFTWARE: Final = _words(
    """
    postgres postgresql psql mysql mariadb sqlite redis valkey memcached mongodb cassandra
    clickhouse duckdb lancedb elasticsearch opensearch solr kafka rabbitmq nats celery airflow
    spark hadoop flink nginx apache caddy haproxy traefik envoy tomcat gunicorn uvicorn docker
    podman kubernetes k8s k3s helm terraform ansible puppet jenkins gitlab github bitbucket
    prometheus grafana loki sentry vault consul etcd zookeeper minio ceph systemd cron tmux vim
    neovim emacs vscode pycharm python java javascript typescript kotlin scala rust golang php
    perl haskell elixir erlang swift ruby node.js nodejs deno bun npm pnpm pip conda poetry maven
    gradle webpack vite django flask fastapi litestar express.js next.js nuxt.js vue.js vue react
    angular svelte laravel symfony numpy pandas pytorch tensorflow keras pytest mypy ruff eslint
    prettier jest celery graphql grpc linux ubuntu debian fedora centos alpine windows macos
    android ios freebsd openssl openssh bash zsh powershell ffmpeg blender photoshop excel slack
    jira confluence trello asana notion obsidian figma zoom aws azure gcp s3 ec2 lambda
    cloudflare heroku vercel netlify supabase firebase stripe twilio openai chatgpt claude gemini
    llama mistral ollama langchain hermes openclaw wordpress shopify salesforce snowflake
    bigquery dbt tableau superset metabase kibana logstash datadog wireguard openvpn tailscale
    samba nfs home-assistant raspbian proxmox
    """
)
"""Programs, languages and services that are written with or without a capital."""

PLAIN_SOFTWARE: Final = _words(
    "vault spark swift ruby excel slack notion zoom express lambda stripe alpine windows bun loki"
    " helm puppet envoy java rust react vue poetry bash solr angular claude flask jest figma"
    " conda sentry consul samba blender prettier cron keras pip hermes"
)
"""Those that are also ordinary words or names: only with a capital are they the program."""

STARTERS: Final = _words(
    """
    a an the this that these those my your his her its our their mine yours ours theirs i you he
    she it we they me him us them who whom whose which what where when why how whether if because
    since although though while unless until before after as so and or but nor yet for from to in
    on at by with without about above below under over between among through during against into
    onto upon off out up down near beyond despite except besides instead also too not no none
    never always often sometimes usually maybe perhaps probably actually really just only even
    still already soon later then now today tomorrow yesterday tonight here there everywhere
    nowhere somewhere once twice every each all any some many much few several most more less
    both either neither other another such same please yes yeah yep nope ok okay oh ah hey hi
    hello wow well thanks thank sorry sure right great good nice cool awesome amazing wonderful
    lovely fine bad sad happy glad congrats congratulations absolutely definitely exactly totally
    certainly honestly luckily unfortunately fortunately hopefully finally recently currently
    previously originally basically generally typically normally apparently obviously clearly is
    are was were am be been being do does did done have has had having will would shall should
    can could may might must let lets let's don't do not go going get got make made take took
    give gave keep use used using see saw look looks looking think thought know knew say said
    tell told ask asked try tried want wanted need needed feel felt find found put set run ran
    read write wrote call called come came remember note notice reminder update warning error
    info debug important summary question answer nothing something anything everything nobody
    somebody anybody everybody someone anyone everyone people things thing stuff one two three
    four five six seven eight nine ten first second third next last new old big small long short
    high low early late best better worst worse own being working listening learning playing
    reading writing running cooking speaking talking having living spending seeing watching
    trying hanging taking making it's that's there's here's what's who's how's where's let's i'm
    i've i'd i'll you're you've you'll he's she's we're we've we'll they're they've can't won't
    isn't aren't wasn't didn't doesn't haven't hasn't couldn't shouldn't wouldn't mum mom dad
    mother father grandma grandpa son daughter wife husband brother sister aunt uncle friend
    friends family kids children work home school music art life love time money food coffee tea
    water port server service database config configuration deployment production staging backup
    backups logs tests test version release host user users owner team meeting project code file
    files data settings default check add remove delete change move install upgrade restart start
    stop open close send save store fix build deploy configure enable disable follow avoid ensure
    prefer consider
    """
)
"""Words with which sentences begin: a capital there says nothing."""

NOT_NAMES: Final = _words(
    """
    monday tuesday wednesday thursday friday saturday sunday january february march april may june
    july august september october november december mon tue tues wed thu thur thurs fri sat sun jan
    feb mar apr jun jul aug sep sept oct nov dec i i'm i've i'd i'll god ok am pm english chinese
    french german spanish italian japanese korean russian portuguese dutch arabic american british
    european asian african indian christmas easter thanksgiving halloween mum mom dad mommy daddy
    grandma grandpa sir madam internet web mr mrs ms dr prof
    """
)
"""Written with a capital wherever they stand, and no name of one thing."""

NOT_ACRONYMS: Final = _words(
    """
    a i ok not no never always only must very all any yes todo fixme note warning error info
    debug important please new old now lol omg btw imo fyi asap am pm tv pc id ui ux it us we he
    she and or but the if so do is are was api url uri http https cpu gpu ram ssd hdd html css
    json xml yaml csv sql pdf faq ceo cto hr pr qa ci cd utc gmt eta eod diy rip aka etc vs dm gb
    mb kb tb ms ns db os vm vpn dns tcp udp ip ssh tls ssl lan wan usb rss sdk cli gui llm ai ml
    rest crud orm read write get set put post delete patch head stop start wait this that they
    you my your our what when where why how who which here there good bad great love hate so much
    can will more
    """
)
"""In capitals, and yet no name: emphasis, and what is common to all programs."""

NO_TICKETS: Final = _words(
    "covid utf sha iso rfc gpt md ipv usb mp ansi base cp pm am no vol ch fig"
)
"""Before a hyphen and a number these make a name or a standard, not a ticket."""

TITLES: Final = _words("mr mrs ms miss dr prof professor doctor sir captain")

KIN: Final = (
    "wife|husband|partner|girlfriend|boyfriend|fianc[eé]e?|son|daughter|brother|sister|mother"
    "|father"
    "|mom|mum|dad|aunt|uncle|cousin|niece|nephew|grandmother|grandfather|grandma|grandpa|friend"
    "|roommate|flatmate|colleague|coworker|boss|manager|teammate|neighbou?r|teacher|coach|mentor"
    "|therapist|dentist|landlord|client|classmate|kid|baby|dog|cat|puppy|kitten|pet|parrot|horse"
)

TOP_DOMAINS: Final = (
    "com|net|org|io|dev|cn|edu|gov|local|internal|lan|ai|app|co|uk|de|fr|jp|eu|info|xyz|cloud|intra"
    "|corp|home|example|test|invalid|svc|cluster|tech|site|online|hk|tw|sh|tv"
)

EXTENSIONS: Final = (
    "py|pyi|rs|go|java|kt|rb|php|c|h|cc|cpp|hpp|cs|js|mjs|ts|tsx|jsx|vue|css|scss|html?|xml|json"
    "|jsonl|ya?ml|toml|ini|cfg|conf|env|md|rst|txt|log|csv|tsv|parquet|sqlite3?|db|sql|sh|bash|zsh"
    "|bat|ps1|service|lock|pdf|docx?|xlsx?|pptx?|png|jpe?g|gif|svg|mp[34]|wav|zip|tar|gz|tgz|bz2|xz"
    "|7z|pem|key|crt|ipynb|lua|tf|proto|rdb|aof|lance|pid|sock|bak"
)

SURNAMES: Final = (
    "王李张刘陈杨赵黄周吴徐孙胡朱林郭何罗梁宋郑谢韩唐冯董程曹袁邓许傅沈曾彭吕卢蒋蔡贾丁魏薛潘杜戴"
    "钟汪姜姚谭廖邹崔邱秦侯邵孟段钱尹黎乔贺赖龚高马于叶余苏夏田任范方石熊金陆郝孔白康毛江史顾严"
)
"""The most frequent family names."""

SAFE_SURNAMES: Final = (
    "王李张刘陈杨赵周吴徐孙胡朱林郭罗梁宋郑韩唐冯董曹袁邓许傅沈彭吕卢蒋蔡贾魏薛潘杜戴"
    "汪姜姚谭廖邹崔邱秦侯邵孟钱尹黎乔贺赖龚"
)
"""Those that 老 and 小 make a name of, and hardly ever a word."""

NOT_CHINESE_NAMES: Final = _words(
    """
    周末 周一 周二 周三 周四 周五 周六 周日 周围 周期 周年 周边 高兴 高中 高级 高考 高度 高铁
    高速 马上 马路 马桶 马拉 马克 方便 方法 方面 方案 方式 方向 任务 任何 任意 白天 白色 白菜
    金融 金额 金属 石头 石油 江边 江苏 江西 程序 程度 余额 余下 史上 毛病 毛巾 田里 段落 许多
    于是 于此 何时 何况 何必 黄色 黄瓜 黄金 黄油 夏天 夏季 夏日 严重 严格 张开 陈列 陈旧 陈述
    林业 罗马 胡子 胡同 胡椒 曾经 曾在 钱包 钱是 谢谢 宋朝 唐代 贺卡 康复 杜绝 丁字 叶子 顾客
    顾虑 顾问 孔子 孙子 王子 王国 王牌 李子 吴语 朱红 苏州 苏打 范围 范例 熊猫 陆续 陆地 郭外
    梁上 蒋介 蔡英 戴上 戴着 戴口 钟头 钟表 秦朝 侯选 马来 马达 于我 何在 高出 高于 江南 白酒
    白茶 石家 方才 沈阳 吴江 徐州 郑州 杨树 杨梅 柳树 韩国 韩语 高温 高压 任职 周报 周会 金华
    马尾 康乃 田园 田野 江湖 史料 黎明 彭博 汪汪 傅里 曾是 许可 许愿 程式 冯诺 贾斯
    """
)
"""Two characters with which a word begins, although the first is a family name."""

PLACES_CHINESE: Final = (
    "北京|上海|天津|重庆|广州|深圳|杭州|南京|苏州|成都|武汉|西安|长沙|郑州|青岛|大连|厦门|宁波"
    "|福州|济南"
    "|合肥|昆明|贵阳|南宁|海口|三亚|拉萨|兰州|西宁|银川|乌鲁木齐|呼和浩特|哈尔滨|长春|沈阳|石家庄"
    "|太原"
    "|南昌|无锡|佛山|东莞|珠海|温州|绍兴|嘉兴|常州|徐州|扬州|洛阳|桂林|丽江|大理|香港|澳门|台北"
    "|高雄"
    "|东京|大阪|京都|首尔|新加坡|曼谷|伦敦|巴黎|柏林|慕尼黑|罗马|马德里|阿姆斯特丹|纽约|旧金山"
    "|西雅图"
    "|洛杉矶|波士顿|芝加哥|多伦多|温哥华|悉尼|墨尔本|莫斯科|迪拜|浙江|江苏|广东|四川|湖南|湖北"
    "|河南|河北"
    "|山东|山西|陕西|福建|江西|安徽|云南|贵州|海南|辽宁|吉林|黑龙江|内蒙古|新疆|西藏|青海|甘肃"
    "|宁夏|广西"
    "|台湾|日本|韩国|美国|英国|法国|德国|意大利|西班牙|加拿大|澳大利亚|新西兰|泰国|越南|印度|俄罗斯"
)
