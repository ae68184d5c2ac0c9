"""What people and agents say in English, labelled by hand by what it is.

One utterance a line; where `` => `` stands in it, the question before it was asked by the other
side. Which kinds are worth keeping, and how much, is in `worth`.
"""

from __future__ import annotations

ENGLISH = {
    "fact": """
    I was born in Lisbon but I've lived in Utrecht since 2014.
    My sister Nadia is a paediatric nurse at the children's hospital.
    We have two cats, Pixel and Mango, and an old greyhound called Bruno.
    I'm allergic to penicillin and to shellfish.
    My wife teaches chemistry at a secondary school in Leeds.
    Our house number is 41 and the gate code is 7719.
    I have type 1 diabetes, so I always carry juice with me.
    My daughter Ines turned nine in March.
    The office is on the fourth floor of the Mercer building.
    I speak Portuguese, Dutch and a little Turkish.
    Dad has been a beekeeper for thirty years.
    My brother-in-law runs a bike repair shop near the station.
    Our landlord is Mr. Okafor and his number ends in 3310.
    I've been vegetarian since university.
    The car is a grey 2016 Skoda, and the inspection expires in October.
    My grandmother came from a small village near Trabzon.
    I'm left-handed, which is why I set the mouse up on the other side.
    Hey! Just so you know, I changed my last name to Albrecht after the wedding.
    We're a family of five: three boys, me and my husband.
    She is my oldest friend; we met in first grade.
    """,
    "preference": """
    I prefer short answers without bullet points.
    Please always reply to me in British English.
    I love jazz, especially anything with a double bass.
    I can't stand coriander, so leave it out of every recipe.
    My favourite author is Ursula Le Guin.
    I'd rather have meetings in the afternoon than in the morning.
    She hates flying and always takes the train.
    I like my coffee black, no sugar.
    We prefer tabs over spaces in this repository.
    I enjoy pottery because it takes my mind off work.
    He's really into vintage motorcycles.
    My go-to snack is salted almonds.
    I always use dark mode in every editor.
    Call me Theo, not Theodore.
    Rainy mornings with a novel are my favourite kind of weekend.
    Thanks! By the way, I prefer metric units.
    I'm a big fan of slow cinema, Tarkovsky most of all.
    """,
    "decision": """
    We decided to move the billing service to Postgres.
    I've chosen the blue tiles for the bathroom.
    The team agreed to freeze features from the 15th on.
    After all that, I turned down the job in Zurich.
    We're dropping support for Python 3.9 in the next release.
    I quit smoking in January and haven't touched one since.
    We settled on Friday demos instead of weekly reports.
    Mia and I have decided to adopt a child.
    I switched from Jenkins to GitHub Actions for all my projects.
    From now on the nightly backup goes to the second disk.
    I signed up for evening classes in Spanish.
    We picked Rosa's design for the logo.
    The board rejected the merger, so the plan is off.
    I finally bought the cello from the old luthier.
    """,
    "constraint": """
    Never deploy on a Friday.
    The budget for the kitchen must not exceed 12,000 euros.
    Don't push to main without a review.
    Responses have to stay under 200 ms at the 95th percentile.
    You must ask me before you delete anything.
    No calls before 10 am, I take the kids to school.
    All timestamps should always be stored in UTC.
    I can't eat gluten, my doctor forbids it.
    The report has to be with the client by 30 June.
    Only the release manager is allowed to tag a version.
    Make sure that customer names never appear in the logs.
    At most three people may share the licence.
    Please don't schedule anything on Wednesdays, that's my day with mum.
    Passwords must have at least 14 characters in our system.
    """,
    "howto": """
    To restart the scanner, hold the green button for six seconds and then unplug it.
    The build failed because the cache was stale; deleting the .cache folder fixed it.
    First run make migrate, then start the worker, otherwise the tables are missing.
    The trick with this dough is to rest it overnight in the fridge.
    You get into the admin page by adding ?debug=1 to the address.
    It turned out that the timeout came from the proxy, so I raised proxy_read_timeout to 120 s.
    To reset the router, press the pin at the back until the light blinks red.
    We solved the memory leak by closing the session after each batch.
    The printer works only if you choose tray 2.
    Set LOG_LEVEL=debug before you start the service to see the queries.
    Whenever the sync hangs, kill the agent and remove the lock file in /var/run/sync.
    Grandma's recipe: boil the quinces whole, then peel them and add lemon.
    I learned that the cello has to be loosened a little before a flight.
    The reason for the crash was a missing index on orders.customer_id.
    """,
    "project": """
    The API listens on port 8443 behind nginx.
    Our staging cluster runs Kubernetes 1.29 on three nodes.
    The invoices are stored in s3://acme-billing under one folder a month.
    Priya owns the payments module and Tom reviews it.
    The repository for the mobile app is called heron-ios.
    We're building a booking site for small campsites.
    The production database is db-main.internal, and the replica is db-ro.internal.
    The project is called Lantern and its deadline is 1 September.
    Our frontend uses Svelte, the backend is written in Go.
    The customer pays monthly and has 240 seats.
    Unit tests live under tests/unit and run in about two minutes.
    The cron job report_daily starts at 03:15.
    Sprint 12 is about search: typo tolerance and filters.
    The design system depends on the tokens package, version 4.
    The nightly export writes to /srv/export/daily.csv.
    Release 2.4 contains the new importer and the French translation.
    """,
    "event": """
    I went to my cousin's wedding in Porto last weekend.
    We visited the aquarium yesterday and my son loved the rays.
    My grandfather passed away two years ago, and I still miss his stories.
    Last summer I hiked the Dolomites with my brother.
    I ran my first half marathon on Sunday in under two hours!
    Our dog had surgery on Tuesday, but he's eating again.
    I got promoted to team lead this month.
    Yesterday I finished the scarf I'd been knitting for my niece.
    We lost our luggage on the flight to Oslo and got it back three days later.
    She won second prize in the county science fair.
    I met Jonas at a pottery class in 2019.
    Hey there! I had the craziest week. My bike was stolen in front of the library on Monday.
    I painted a mural for the youth centre last month.
    My parents celebrated their 40th anniversary in May.
    I gave a talk about bees at the primary school last Thursday.
    We moved into the new flat three weeks ago.
    I broke my wrist when I fell off the climbing wall.
    Wow, thanks! I took that picture at the lake behind our cabin last autumn.
    My son's team lost the final, but he scored twice.
    I started volunteering at the food bank in February.
    I made a lemon cake for the neighbours and they asked for the recipe.
    It was on the third of June, at the old theatre in Porto.
    Got two tickets for the Radiohead concert on Friday!
    Three of my students won medals at the regional chess finals.
    Saw "Stalker" with Jonas last night, my second time.
    Been to Iceland twice, in 2017 and 2022.
    Sold my first painting for 300 dollars at the town fair.
    He proposed to me on the pier in Brighton, on New Year's Eve.
    The kids and I planted tomatoes and beans on the balcony this spring.
    """,
    "plan": """
    We're going camping in Brittany next month.
    I'm planning to open a small bakery with my aunt next year.
    My dentist appointment is on 14 May at 9:30.
    I want to learn the accordion before my fiftieth birthday.
    We're saving up for a trip to Japan.
    I'm taking my driving test on Thursday.
    Next week I start a pottery course with two colleagues.
    I'm working on a novel about my grandmother's escape.
    She is going to study marine biology in Bergen.
    We plan to migrate the archive in the second quarter.
    I'm training for a triathlon in September.
    My parents will visit us over Easter.
    I'll present the results at the conference in Graz in November.
    We're hoping to buy a house with a garden for the dogs.
    """,
    "answer": """
    How long have you been a nurse? => Eleven years this May.
    What's your dog's name? => Her name is Biscuit.
    Where did you two meet? => At a dance class in Seville.
    Which editor do you use? => Neovim, with the gruvbox theme.
    What do you do to relax? => Mostly gardening and long walks with the dog.
    How many people work there? => About forty, half of them remote.
    What's the book about? => A lighthouse keeper who raises an orphan.
    Who painted it? => My grandfather did, back in the sixties.
    Which port does the proxy use? => 8081, and 8082 for the health checks.
    When is the wedding? => The second Saturday of August, in my parents' garden.
    What instrument do your kids play? => Lena plays the clarinet and Max the drums.
    Why did you leave the bank? => I wanted to spend more time with my kids.
    """,
    "remember": """
    Remember this: the spare key is under the blue flowerpot.
    Please remember that Tuesday is my mother's physio day.
    Note that the alarm code changed to 2046.
    Don't forget, I take the blood pressure pills at 8 pm.
    For future reference: the vet's number is 555-0142.
    Keep in mind that Tomas is vegan.
    Save this: my locker at the gym is number 112.
    Important: the gas meter gets read on the 3rd.
    Make a note, Lena is allergic to peanuts.
    """,
    "mood": """
    I've been doing really well lately, thanks.
    It's been quite a ride, but I'm loving it.
    I feel so much lighter since I stopped worrying.
    I was really nervous, but it all went fine in the end.
    We had such a great time together.
    I'm just trying to stay positive and take it step by step.
    They were so kind to me, it meant a lot.
    It made me realise how lucky I am.
    I'm determined to make it work, whatever happens.
    My friends have always been there for me.
    I had a blast and learned so much.
    I just want to make a difference for people.
    Things are going well, I can't complain.
    I'm excited about what comes next.
    It gives me a feeling of freedom and calm.
    I got some good news and I'm over the moon.
    We laughed a lot and forgot the time.
    I really put my heart into it.
    My family has been so supportive of my art.
    I love spending time with my kids, they bring me so much joy.
    Painting helps me relax and express what I feel.
    My team is great, we support each other and stay motivated.
    The class was tough, but I kept going and it paid off.
    I've always believed that hard work and passion lead to success.
    Being with my dogs calms me down and makes me happy.
    We had a wonderful dinner with friends and shared some great memories.
    Music has been a big part of my life and keeps me going.
    Running my own shop is hard, but seeing happy customers makes it worth it.
    I learned a lot about myself on that trip.
    Cooking for people I love is so rewarding.
    The support of my colleagues means the world to me.
    I think travelling opens your mind and gives you new ideas.
    Teaching has its ups and downs, but I wouldn't change it for anything.
    """,
    "advice": """
    You should drink more water and go to bed earlier.
    Regular exercise can help you sleep better.
    It's important to keep a positive attitude in life.
    You could try listening to music or taking a walk to relax.
    AI: I'd recommend starting small and staying consistent; practice makes perfect.
    AI: Reading books is a great way to broaden your mind.
    People often underestimate how much rest they need.
    Don't give up, keep pushing and believe in yourself!
    AI: Of course! You can look for tutorials online and practise every day.
    Time management is the key to success in general.
    assistant: It's a good idea to talk to a professional if the stress gets too much.
    AI: Pop music, jazz and classical music are all popular with many people.
    Friendship means trust, honesty and support.
    Family is everything, and love makes life meaningful.
    """,
    "small_talk": """
    Hey, how are you?
    Good morning! Hope you slept well.
    Thanks a lot, you're the best!
    Haha, that's so funny 😂
    Bye for now, talk to you soon!
    Ok, sounds good. See you tomorrow!
    You're welcome! Have a great weekend.
    Hi there! Long time no see!
    No worries, take care!
    Wow, awesome!
    Yes, thank you so much again.
    Good night, sleep well.
    Congrats! Well done!
    Alright, got it, thanks.
    Happy birthday! 🎂
    Cheers mate, much appreciated.
    """,
    "world_question": """
    What is the capital of Mongolia?
    How do I reverse a list in Python?
    Who wrote The Master and Margarita?
    Can you explain how vaccines work?
    What's the difference between TCP and UDP?
    How many grams are in an ounce?
    Why is the sky blue?
    Translate "good evening" into Finnish.
    What is the boiling point of ethanol?
    How does photosynthesis work?
    Define entropy.
    Tell me about the French Revolution.
    When did the Berlin Wall fall?
    Give me an example of a haiku.
    How do you calculate compound interest?
    Which planet has the most moons?
    """,
    "low_density": """
    Um, well, yeah, I mean, kind of, you know.
    So yeah, it is what it is, I guess.
    Okay okay okay okay.
    Right, right, right, that sort of thing.
    Well, whatever, it's all the same to me anyway.
    Hmm, let me see, so, like, yeah.
    It was really, really, really something.
    And so on and so on.
    I don't know, it's just how it is.
    Anyway, that's that then.
    Oh well, what can you do.
    Yeah no, yeah, for sure, for sure.
    """,
    "passing": """
    Hold on, I'm just getting a coffee.
    It's raining again over here.
    I'm so tired today.
    The build is still running, one moment.
    I'm on the bus right now, signal is bad.
    Give me a minute, the page is loading.
    It's hot in here.
    I'm hungry, let's continue after lunch.
    Wait, my phone is ringing.
    Downloading, at 43% now.
    Let me try that again.
    I have to run, the kettle is boiling.
    The screen just froze for a second.
    """,
    "hypothetical": """
    If I won the lottery, I'd probably buy an island.
    Maybe we could use Redis for that, not sure yet.
    What if the server were in Iceland instead?
    I might go to the gym later, or maybe not.
    Suppose the port were 9000, would it still work?
    Perhaps one day I'll learn to sail, who knows.
    I wonder whether a bigger disk would help.
    Let's say we had ten times as many users.
    We could possibly try Rust at some point.
    I'd have taken the job if it had been closer.
    Imagine living on the moon for a year.
    It would be nice if it were faster, I guess.
    I'm toying with the idea of maybe getting a boat.
    """,
    "question": """
    What did you do last weekend?
    Do you have any plans for the summer?
    How did your interview go?
    Have you been to that new restaurant yet?
    What do you think of it?
    Where did you find that jacket?
    So when are you moving in?
    Did the deployment work?
    Wow, what made you choose that?
    Any tips for a beginner like me?
    What happened then? Were you scared?
    Which one would you pick?
    Can you check whether the file is there?
    """,
    "reaction": """
    That sounds amazing, I'm so happy for you!
    Your garden looks gorgeous.
    You're doing a great job with the kids.
    I totally agree, taking breaks is so important.
    Wow, that's such a lovely photo!
    That must have been hard for you.
    I'm really proud of how far you've come.
    It's great that you have people who support you.
    Sounds like a perfect way to spend a Sunday.
    I hope it goes well, keep me posted!
    You've got this, don't give up!
    That's so true, family means everything.
    I'm sorry to hear that, it must be tough.
    What a cute puppy! He looks so happy.
    Glad it worked out in the end for you.
    """,
    "chatter": """
    Let me check the file for you.
    I'll now run the tests and see what happens.
    Sure, here's the updated version of the function.
    I've updated the README and fixed the typo.
    Looking into it now.
    Is there anything else I can help you with?
    Great question! There are several ways to look at this.
    I will start by reading the configuration.
    All tests pass. Let me know if you need anything else.
    As an AI, I don't have personal feelings.
    Now I need to open the next file.
    Done! The changes have been applied.
    Searching for matching files, please wait.
    Here are some ideas you could try.
    I can help with that! Could you share more details?
    """,
    "noise": """
    Traceback (most recent call last):
    2026-05-01 10:22:13,401 INFO worker started pid=221
    for i in range(10): print(i)
    at com.acme.Main.run(Main.java:42)
    const x = await fetch(url);
    e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
    }); // end
    $ ls -la
    [DEBUG] cache miss for key 0x7ffe
    import os, sys, json
    return self._items[index];
    @@ -12,7 +12,9 @@ def load(path):
    """,
}
