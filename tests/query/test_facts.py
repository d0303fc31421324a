"""What is known of an API: its section's words, signature and example, with where they are from."""

from __future__ import annotations

from vuedocs.query.facts import ApiFacts, card, details, first_example, short_signature
from vuedocs.records import Chunk, Entity, SourceManifest

SIGNATURE = "function computed<T>(\n  getter: () => T\n): Ref<T>"
TEXT = """## computed()

Takes a getter.

- **Type**

  ```ts
  function computed<T>(
    getter: () => T
  ): Ref<T>
  ```

- **Example**

  ```js
  const one = computed(() => 1)
  ```

The end."""
EXAMPLE = "```js\nconst one = computed(() => 1)\n```"
ORIGIN = SourceManifest("vue", "0123456789abcdef", "", "", "2026-11-30T12:00:00+00:00", "", 1, 1, 1, 1)


def facts(text: str = TEXT, **more: str) -> ApiFacts:
    section = Chunk(
        "vue/api#computed", "vue", "api", "api", "section", "computed", "https://vuejs.org/api#computed", "computed()",
        ("Reactivity", "computed()"), (0, 1), text, "0" * 64,
    )  # fmt: skip
    entity = Entity("computed", "reactivity API", "vue", section.id, **{"signature": SIGNATURE, "since": "3.0", **more})  # type: ignore[arg-type]
    return ApiFacts(entity, section, first_example([text], entity), ORIGIN)


def api(name: str, signature: str = "") -> Entity:
    return Entity(name, "API", "vue", "vue/api", signature=signature)


def test_the_example_is_the_first_code_that_is_not_the_signature() -> None:
    assert first_example([TEXT], api("computed", SIGNATURE)) == EXAMPLE
    assert first_example([TEXT], api("computed")).startswith("```ts\nfunction computed<T>(\n  getter")
    assert first_example(["no code", TEXT], api("computed", SIGNATURE)) == EXAMPLE


def test_the_example_is_of_this_api_however_it_is_written() -> None:
    assert first_example(["```js\nother()\n```", EXAMPLE], api("computed")) == EXAMPLE
    assert first_example(["```vue-html\n<keep-alive />\n```"], api("KeepAlive")).startswith("```vue-html")
    assert first_example(["```js\nconfig.globalProperties.a = 1\n```"], api("app.config.globalProperties"))


def test_empty_endless_and_foreign_code_is_no_example() -> None:
    texts = ["```js\n```\n\n~~~js\n\n~~~", "```js\n" + "computed\n" * 2000 + "```", "prose on computed", "```js\nref()\n```"]
    assert first_example(texts, api("computed")) == ""


def test_a_card_is_the_section_once_with_what_it_is_and_where_it_is_from() -> None:
    text = card(facts())
    assert text.startswith("# computed (vue: reactivity API, since 3.0)\n\nTakes a getter.\n\n- **Type**")
    assert text.count("function computed<T>") == 1
    assert text.count("const one") == 1
    assert text.endswith(
        "The end.\n\nFrom [Reactivity › computed()](https://vuejs.org/api#computed): vue 0123456789ab, indexed 2026-11-30."
    )


def test_a_signature_and_an_example_that_stand_elsewhere_are_added() -> None:
    found = facts("# useFetch\n\nFetches.", signature="function useFetch(): void")
    text = card(ApiFacts(found.entity, found.section, "```js\nuseFetch()\n```", None))
    assert "Fetches.\n\n```ts\nfunction useFetch(): void\n```\n\n```js\nuseFetch()\n```\n\nFrom [" in text


def test_a_long_section_is_cut_at_a_block_and_said_to_go_on() -> None:
    found = facts("## computed()\n\n" + "\n\n".join(f"Paragraph {number}." for number in range(500)), signature="")
    text = card(found, limit=400)
    assert len(text) < 500
    assert "the section goes on there." in text
    assert all(line.endswith(".") for line in text.split("\n\n")[1:])


def test_an_api_without_a_section_has_its_entity() -> None:
    entity = Entity("x", "option", "vue", "vue/gone", description="A thing.", deprecated=True)
    assert card(ApiFacts(entity, None, "", None)) == "# x (vue: option, deprecated)\n\nA thing."
    assert details(ApiFacts(entity, None, "", None)) == ""


def test_details_leave_signature_and_example_to_their_own_fields() -> None:
    assert details(facts()) == "Takes a getter.\n\n- **Type**\n\n- **Example**\n\nThe end."


def test_a_long_signature_is_cut_at_a_line() -> None:
    entity = Entity("x", "API", "vue", "vue/x", signature="\n".join(f"line {number}" for number in range(100)))
    assert short_signature(entity, 100).endswith("line 2\n// ...")
    assert short_signature(Entity("x", "API", "vue", "vue/x", signature="short"), 100) == "short"
