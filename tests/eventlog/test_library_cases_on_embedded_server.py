"""The library's own test cases on the bundled Valkey."""

from tests.eventlog import library_cases as cases


class TestAggregateRecorder(cases.OnEmbeddedServer, cases.AggregateRecorder):
    pass


class TestApplicationRecorder(cases.OnEmbeddedServer, cases.ApplicationRecorder):
    pass


class TestTrackingRecorder(cases.OnEmbeddedServer, cases.TrackingRecorder):
    pass


class TestProcessRecorder(cases.OnEmbeddedServer, cases.ProcessRecorder):
    pass


class TestNonInterleaving(cases.OnEmbeddedServer, cases.NonInterleaving):
    pass


class TestFactory(cases.OnEmbeddedServer, cases.Factory):
    pass


class TestCountersView(cases.OnEmbeddedServer, cases.CountersView):
    pass


class TestCountersProjection(cases.OnEmbeddedServer, cases.CountersProjection):
    pass


class TestSourcedProjection(cases.OnEmbeddedServer, cases.SourcedProjection):
    pass


class TestExampleApplication(cases.OnEmbeddedServer, cases.ExampleApplication):
    pass


class TestWholeApplication(cases.OnEmbeddedServer, cases.WholeApplication):
    pass
