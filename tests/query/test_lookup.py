"""An API by name: exactly, by what else the name can only mean, else by what is near; in one source, several or all."""

from __future__ import annotations

import pytest

from vuedocs.errors import QueryError
from vuedocs.query.library import by_name
from vuedocs.query.lookup import ApiMatch, api_lookup, bare, refusal, remarks
from vuedocs.records import Entity


def entity(name: str, source: str = "vue", *aliases: str) -> Entity:
    return Entity(name, "API", source, f"{source}/api", aliases)


NAMES = by_name(
    [
        entity("computed", "vue", "usememo", "computed property"),
        entity("watch"),
        entity("watchEffect", "vue", "watch-effect"),
        entity("v-model", "vue", "vModel", "vmodel"),
        entity("v-on"),
        entity("v-slot"),
        entity("KeepAlive", "vue", "keep-alive"),
        entity("Transition"),
        entity("script"),
        entity("is"),
        entity("h"),
        entity("ref", "vue", "usestate"),
        entity("$emit"),
        entity("nextTick", "vue", "next-tick"),
        entity("app.config.globalProperties"),
        entity("useFetch", "nuxt", "use-fetch"),
        entity("useFetch", "vueuse", "use-fetch"),
        entity("useState", "nuxt"),
        entity("form", "formkit"),
        entity("Form", "vee-validate"),
    ]
)


def found(name: str, *sources: str) -> list[str]:
    return [match.key for match in api_lookup(NAMES, name, sources).entities]


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("computed", "vue:computed"),
        ("Computed", "vue:computed"),
        ("computed()", "vue:computed"),
        ("`computed`", "vue:computed"),
        ('"computed"?', "vue:computed"),
        ("computed(() => count.value * 2)", "vue:computed"),
        ("computed property", "vue:computed"),
        ("v-model", "vue:v-model"),
        ("vModel", "vue:v-model"),
        ("V Model", "vue:v-model"),
        ("<KeepAlive>", "vue:KeepAlive"),
        ("</KeepAlive>", "vue:KeepAlive"),
        ("<KeepAlive :max='10' />", "vue:KeepAlive"),
        ("keep-alive", "vue:KeepAlive"),
        ("keep alive", "vue:KeepAlive"),
        ("keepalive", "vue:KeepAlive"),
        ("<script setup>", "vue:script"),
        ("watch effect", "vue:watchEffect"),
        ("watch_effect", "vue:watchEffect"),
        ("is", "vue:is"),
        ("h", "vue:h"),
        ("$emit", "vue:$emit"),
        ("emit", "vue:$emit"),
        ("ref<number>(0)", "vue:ref"),
        ("  app.config.globalProperties\n", "vue:app.config.globalProperties"),
        ("app.config.globalproperties", "vue:app.config.globalProperties"),
    ],
)
def test_a_name_is_found_by_every_way_to_write_it(name: str, key: str) -> None:
    assert found(name) == [key]
    assert api_lookup(NAMES, name).how == "name"


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("<script setup>", "vue:<script setup>"),
        ('<script setup lang="ts">', "vue:<script setup>"),
        ("script setup", "vue:<script setup>"),
        ("<script>", "vue:script"),
        ("<template>", "vue:<template>"),
        ("template", "vue:template"),
    ],
)
def test_brackets_belong_to_a_name_that_has_them(name: str, key: str) -> None:
    names = by_name([entity("<script setup>", "vue", "script setup"), *map(entity, ("script", "template", "<template>"))])
    match = api_lookup(names, name)
    assert ([found.key for found in match.entities], match.how, remarks(match)) == ([key], "name", ())


@pytest.mark.parametrize(
    ("name", "key"),
    [
        (".once", "v-on"), (".trim", "v-model"), ("is attribute", "is"), ("computed property", "computed"),
        ("nextTick function", "nextTick"), ("KeepAlive component", "KeepAlive"), ("keep alive component", "KeepAlive"),
    ],
)  # fmt: skip
def test_a_modifier_stands_for_its_directive_and_a_kind_may_follow_a_name(name: str, key: str) -> None:
    assert found(name) == [f"vue:{key}"]


def test_a_modifier_of_vue_2_is_no_api() -> None:
    assert not found(".sync")


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("globalProperties", "vue:app.config.globalProperties"),
        ("config.globalProperties", "vue:app.config.globalProperties"),
        ("Vue.nextTick", "vue:nextTick"),
        ("this.$emit", "vue:$emit"),
        ("v-model.trim", "vue:v-model"),
        ("v-slot:header", "vue:v-slot"),
        ("@click.prevent", "vue:v-on"),
        ("#default", "vue:v-slot"),
    ],
)
def test_a_part_of_a_name_is_found_and_said_to_be_one(name: str, key: str) -> None:
    match = api_lookup(NAMES, name)
    assert [entity.key for entity in match.entities] == [key]
    (remark,) = remarks(match)
    assert remark == f"`{match.name}` is no name of its own; this is `{match.entities[0].name}`"


@pytest.mark.parametrize("name", ["@vueuse/core", "@nuxt/ui", "@/components"])
def test_a_package_is_no_directive(name: str) -> None:
    assert api_lookup(NAMES, name).entities == ()


def test_a_name_of_several_sources_is_found_in_each() -> None:
    assert found("useFetch") == ["vueuse:useFetch", "nuxt:useFetch"]
    assert found("use fetch", "nuxt") == ["nuxt:useFetch"]
    assert found("useFetch", "nuxt", "vue") == ["nuxt:useFetch"]


def test_what_is_written_exactly_so_comes_first() -> None:
    assert found("Form") == ["vee-validate:Form", "formkit:form"]
    assert found("form") == ["formkit:form", "vee-validate:Form"]


def test_a_name_hides_no_synonym_of_another_source_and_both_are_told_apart() -> None:
    match = api_lookup(NAMES, "useState")
    assert [entity.key for entity in match.entities] == ["nuxt:useState", "vue:ref"]
    assert remarks(match) == ("in vue, `useState` stands for `ref`",)
    assert remarks(api_lookup(NAMES, "keep alive")) == ()


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("comuted", "computed"),
        ("useFecth", "useFetch"),
        ("v-modal", "v-model"),
        ("KeepAlve", "KeepAlive"),
        ("watchEfect", "watchEffect"),
    ],
)
def test_a_misspelt_name_stands_for_nothing_but_is_surely_meant(name: str, meant: str) -> None:
    match = api_lookup(NAMES, name)
    assert (match.entities, match.how, match.certain) == ((), "nothing", True)
    assert match.did_you_mean[0].name == meant
    assert [entity.name for entity in match.did_you_mean] == list(dict.fromkeys(entity.name for entity in match.did_you_mean))


def test_a_name_that_is_only_near_is_suggested_but_not_sure() -> None:
    match = api_lookup(NAMES, "watcheffective")
    assert [entity.name for entity in match.did_you_mean] == ["watchEffect"]
    assert not api_lookup(NAMES, "watching").certain


@pytest.mark.parametrize("name", ["zzqx", "响应式", "..%2F..%2Fetc%2Fpasswd", "$", "(x)", "🙂" * 50])
def test_what_is_like_nothing_gets_no_suggestion(name: str) -> None:
    match = api_lookup(NAMES, name)
    assert (match.entities, match.did_you_mean, match.certain) == ((), (), False)


def test_a_name_of_other_sources_only_is_said_to_be_there_and_not_guessed_at() -> None:
    match = api_lookup(NAMES, "useFetch", ("vue",))
    assert (match.entities, match.elsewhere, match.certain) == ((), ("vueuse", "nuxt"), False)
    assert refusal(match, ("vue",)) == "no API is called `useFetch` in vue; vueuse and nuxt have one of this name"


def test_the_refusal_names_what_is_near() -> None:
    match = api_lookup(NAMES, "comuted")
    assert refusal(match, ("vue", "nuxt")) == "no API is called `comuted` in vue, nuxt; did you mean `computed`?"
    assert refusal(ApiMatch("x", (), "nothing"), ("vue",)) == "no API is called `x` in vue"


@pytest.mark.parametrize("name", ["", "  ", "``", "<>", "x" * 201])
def test_a_blank_or_endless_name_is_refused(name: str) -> None:
    with pytest.raises(QueryError, match=r"the API name (is blank|has 201 characters)"):
        api_lookup(NAMES, name)


def test_what_people_write_around_a_name_is_taken_off() -> None:
    assert bare("  `<router-link to='/'>` ") == "router-link"
    assert bare("defineProps<{ a: string }>()") == "defineProps"
    assert bare("$emit('x', 1)") == "$emit"
    assert bare("(x)") == "(x)"


def test_an_entity_is_listed_once_under_a_name_that_it_has_twice() -> None:
    assert [entity.name for entity in by_name([entity("v-if", "vue", "vIf", "vif")])["vif"]] == ["v-if"]


@pytest.mark.parametrize(("name", "certain"), [("vmodal", True), ("compted property", True), ("useFecth", False)])
def test_what_is_only_like_a_synonym_of_another_system_is_no_answer(name: str, certain: bool) -> None:
    names = {**NAMES, **by_name([entity("watchEffect", "vue", "useeffect")])}
    match = api_lookup(names, name, ["vue"])
    assert (match.how, match.certain) == ("nothing", certain)
    assert match.did_you_mean
