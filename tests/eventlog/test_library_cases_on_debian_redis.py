"""The library's own test cases on Debian's redis-server, where it is installed."""

from tests.eventlog import library_cases as cases


class TestAggregateRecorder(cases.OnDebianRedis, cases.AggregateRecorder):
    pass


class TestApplicationRecorder(cases.OnDebianRedis, cases.ApplicationRecorder):
    pass


class TestTrackingRecorder(cases.OnDebianRedis, cases.TrackingRecorder):
    pass


class TestProcessRecorder(cases.OnDebianRedis, cases.ProcessRecorder):
    pass


class TestNonInterleaving(cases.OnDebianRedis, cases.NonInterleaving):
    pass


class TestFactory(cases.OnDebianRedis, cases.Factory):
    pass


class TestCountersView(cases.OnDebianRedis, cases.CountersView):
    pass


class TestCountersProjection(cases.OnDebianRedis, cases.CountersProjection):
    pass


class TestSourcedProjection(cases.OnDebianRedis, cases.SourcedProjection):
    pass


class TestExampleApplication(cases.OnDebianRedis, cases.ExampleApplication):
    pass


class TestWholeApplication(cases.OnDebianRedis, cases.WholeApplication):
    pass
