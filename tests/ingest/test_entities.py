"""API names: what headings and the table of definitions give, for each source by its own conventions."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from readings import read_source

from vuedocs.ingest.entities import chosen, unique
from vuedocs.ingest.entity_names import heading_names, names_in, signature, spellings
from vuedocs.ingest.sentences import first_paragraph
from vuedocs.records import Chunk, Entity
from vuedocs.sources.names import EntityRule, definitions, synonyms

EXAMPLES = {
    "vue": {
        "ref": ("reactivity API", "api/reactivity-core#ref"),
        "KeepAlive": ("component", "api/built-in-components#keepalive"),
        "<script setup>": ("SFC block", "api/sfc-script-setup"),
        "template": ("option", "api/options-rendering#template"),
        "<template>": ("special element", "api/built-in-special-elements#template"),
    },
    "vue-router": {
        "useLink": ("composable", "guide/advanced/composition-api#useLink"),
        "router.beforeEach": ("navigation guard", "guide/advanced/navigation-guards#Global-Before-Guards"),
        "defineBasicLoader": ("data loader", "data-loaders/basic/index"),
        "definePage": ("compiler macro", "file-based-routing/extending-routes#definePage-"),
    },
    "vueuse": {
        "useStorage": ("composable", "core/useStorage/index"),
        "useCounter": ("composable", "shared/useCounter/index"),
        "onClickOutside": ("function", "core/onClickOutside/index"),
        "fromEvent": ("function", "rxjs/from/index"),
    },
    "vite": {
        "build.target": ("config option", "config/build-options#build-target"),
        "server.proxy": ("config option", "config/server-options#server-proxy"),
        "import.meta.hot.accept": ("HMR API", "guide/api-hmr#hot-accept-cb"),
        "configResolved": ("plugin hook", "guide/api-plugin#configresolved"),
        "createServer": ("function", "guide/api-javascript#createserver"),
        "vite build": ("command", "guide/cli#vite-build"),
        "--strictPort": ("CLI option", "guide/cli#vite"),
        "--outDir": ("CLI option", "guide/cli#vite-build"),
    },
    "vitest": {
        "expect.extend": ("expect API", "api/expect#expect-extend"),
        "vi.fn": ("vi helper", "api/vi#vi-fn"),
        "toBe": ("matcher", "api/expect#tobe"),
        "test.each": ("test API", "api/test#test-each"),
        "coverage.provider": ("config option", "config/coverage#coverage-provider"),
        "setupFiles": ("config option", "config/setupfiles"),
        "--coverage.provider": ("CLI option", "guide/cli#coverage-provider"),
        "beforeEach": ("test hook", "api/hooks#beforeeach"),
    },
    "pinia": {
        "defineStore": ("function", "core-concepts/index"),
        "$patch": ("store method", "core-concepts/state#Mutating-the-state"),
    },
    "vue-devtools": {"addCustomTab": ("plugin API", "plugins/api#addcustomtab")},
    "vitepress": {
        "useData": ("runtime API", "reference/runtime-api#usedata"),
        "cleanUrls": ("site config option", "reference/site-config#cleanurls"),
        "themeConfig.sidebar": ("theme config option", "reference/default-theme-config#sidebar"),
        "Content": ("component", "reference/runtime-api#content"),
        "createContentLoader": ("function", "guide/data-loading#createcontentloader"),
    },
    "pinia-colada": {"useMutation": ("composable", "guide/mutations"), "useQueryCache": ("composable", "advanced/query-cache")},
    "vue-test-utils": {
        "mount": ("function", "api/index#mount"),
        "findComponent": ("wrapper method", "api/index#findComponent"),
        "config.global": ("function", "api/index#config-global"),
        "global.stubs": ("mounting option", "api/index#global"),
        "props": ("wrapper method", "api/index#props-1"),
        "mount.props": ("mounting option", "api/index#props"),
        "RouterLinkStub": ("component", "api/index#RouterLinkStub"),
    },
    "vue-i18n": {
        "createI18n": ("function", "api/v11/general#createi18n"),
        "useI18n": ("function", "api/v11/composition#usei18n"),
        "Composer.locale": ("member", "api/v11/composition#locale"),
        "$t": ("injected member", "api/v11/injection#t-key"),
    },
    "shadcn-vue": {
        "AlertDialog": ("component", "docs/components/alert-dialog"),
        "aliases.utils": ("config key", "docs/components-json#aliases-utils"),
    },
    "nuxt": {
        "useFetch": ("composable", "4.api/2.composables/use-fetch"),
        "NuxtLink": ("component", "4.api/1.components/4.nuxt-link"),
        "$fetch": ("utility", "4.api/3.utils/$fetch"),
        "nuxt build": ("command", "4.api/4.commands/build"),
        "runtimeConfig": ("config option", "4.api/6.nuxt-config#runtimeconfig-1"),
        "app.head": ("config option", "4.api/6.nuxt-config#head"),
        "experimental.viewTransition": ("config option", "3.guide/6.going-further/1.experimental-features#viewtransition"),
        "pages:extend": ("hook", "4.api/6.advanced/1.hooks#nuxt-hooks-build-time"),
        "addPlugin": ("kit function", "4.api/5.kit/9.plugins#addplugin"),
    },
    "nuxt-ui": {"UButton": ("component", "3.components/button"), "useToast": ("composable", "2.composables/use-toast")},
    "vee-validate": {
        "useField": ("composable", "api/use-field"),
        "Field": ("component", "api/field"),
        "useFieldError": ("composable", "api/composition-helpers#api-reference"),
        "useForm.handleSubmit": ("member", "api/use-form#composable-api"),
        "validateOnBlur": ("config option", "api/configuration#config-options"),
    },
}
"""Names that must be there, with their type and section."""

NO_NAMES = {"Installation", "Usage", "Example", "Examples", "Options", "Introduction", "Setup", "TypeScript", "Returns"}
COUNTS = {
    **{"vue": 201, "vue-router": 39, "vueuse": 269, "vite": 208, "vitest": 1017, "pinia": 21, "vue-devtools": 7},
    **{"vitepress": 88, "pinia-colada": 24, "vue-test-utils": 44, "vue-i18n": 241, "shadcn-vue": 72, "nuxt": 443},
    **{"nuxt-ui": 54, "vee-validate": 78},
}


def chunk(title: str, text: str = "", path: str = "api/a", above: str = "") -> Chunk:
    heading_path = ("Page", above, title) if above else ("Page", title)
    return Chunk(
        id=f"made/{path}#x",
        source="made",
        path=path,
        route=path,
        kind="section",
        anchor="x",
        url="",
        title=title,
        heading_path=heading_path,
        position=(0, 0),
        text=text or f"## {title}",
        content_hash="",
    )


@pytest.mark.parametrize(
    ("title", "names"),
    [
        ("build.target", ["build.target"]),
        ("hot.on(event, cb)", ["hot.on"]),
        ("hot.invalidate(message?: string)", ["hot.invalidate"]),
        ("<Content />", ["Content"]),
        ("from / fromEvent", ["from", "fromEvent"]),
        ("defineProps() & defineEmits()", ["defineProps", "defineEmits"]),
        ("$frontmatter", ["$frontmatter"]),
        ("Basic Usage", []),
        ("Options", []),
        ("deps.optimizer.{mode}.enabled", []),
        ("(value: number): string;", []),
    ],
)
def test_names_in_a_heading(title: str, names: list[str]) -> None:
    assert heading_names(title, EntityRule("*", "function")) == names


def test_a_command_keeps_its_space() -> None:
    assert heading_names("nuxt build-module", EntityRule("*", "command")) == ["nuxt build-module"]
    assert heading_names("Shell Autocompletions", EntityRule("*", "command")) == []


def test_what_a_rule_may_say_of_a_name() -> None:
    member = chunk("locale", above="Composer")
    assert [name for name, _ in names_in(member, EntityRule("*", "member", prefix="{above}."))] == ["Composer.locale"]
    file = chunk("Radio Group", path="3.components/2.radio-group")
    assert [name for name, _ in names_in(file, EntityRule("*", "component", file=True, prefix="U"))] == ["URadioGroup"]
    deeper = chunk("API", "## API\n\n#### `useA(field?: string): Ref<boolean>`\n\nText.\n\n#### Notes on use\n\n##### useB()")
    found = dict(names_in(deeper, EntityRule("*", "composable", deeper=True)))
    assert list(found) == ["useA", "useB"]
    assert signature(found["useA"]) == "useA(field?: string): Ref<boolean>"
    assert first_paragraph(found["useA"]) == "Text."


def test_names_in_the_rows_of_tables() -> None:
    rows = (
        "| Hook | Arguments | Says |\n| --- | --- | --- |\n| `app:error` | `err` | Called `a \\| b`. |\n| bails | `x` | Stops. |"
    )
    hooks = names_in(chunk("Hooks", f"## Hooks\n\n{rows}"), EntityRule("*", "hook", rows=True))
    assert list(hooks) == [("app:error", "Called `a | b`."), ("bails", "Stops.")]
    rows = "| Options | |\n| --- | --- |\n| `-c, --config <file>` | Use it. |\n| `--host [host]` | Host. |\n| X | y |"
    options = names_in(chunk("CLI", f"## CLI\n\n{rows}"), EntityRule("*", "CLI option", rows=True))
    assert [name for name, _ in options] == ["--config", "--host"]


ENTRIES = """---
title: garden/core
---

## Functions

::api-entry{name="plantRow()" type="function"}
Plants a row of one kind.

#### Signature

```typescript
plantRow(kind: Seed): Row;
```
::

::api-entry{name="waterRow()" type="function"}
Waters it. This is deprecated, use rain.
::

## TypeScript

::api-entry{name="Seed" type="interface"}

#### Members

- `kind` - What grows.
::
"""


def test_entries_of_an_api_reference_are_names_of_the_type_they_say(tmp_path: Path) -> None:
    for name, text in (
        ("6.api-reference/core", ENTRIES),
        ("3.inputs/multi-row", "---\ntitle: Rows\n---\n\nTo plant many rows.\n"),
    ):
        file = tmp_path / "formkit" / f"{name}.md"
        file.parent.mkdir(parents=True)
        file.write_text(text)
    found = read_source("formkit", tmp_path).entities
    row, water, seed, rows = (found[name] for name in ("plantRow", "waterRow", "Seed", "MultiRow"))
    assert len(found) == 4
    assert [entity.type for entity in (row, water, seed, rows)] == ["function", "function", "interface", "input"]
    assert (row.chunk_id, row.signature) == ("formkit/6.api-reference/core#functions", "plantRow(kind: Seed): Row;")
    assert (row.description, row.deprecated) == ("Plants a row of one kind.", False)
    assert (water.signature, water.deprecated) == ("", True)
    assert rows.aliases == ("multi-row",)


def test_rules_of_tables_count_beside_those_of_headings() -> None:
    command, rows = EntityRule("*", "command"), EntityRule("*", "CLI option", rows=True)
    assert chosen((command, rows, EntityRule("*", "other")), chunk("vite build")) == [command, rows]
    assert chosen((EntityRule("*", ""), command, rows), chunk("vite build")) == [rows]


def test_other_spellings() -> None:
    assert spellings("KeepAlive", ["cache"]) == ("keep-alive", "cache")
    assert spellings("find", [], EntityRule("*", "x", owner="wrapper.")) == ("wrapper.find",)
    assert "getLocale" in spellings("Composer.getLocale", [], EntityRule("*", "x", prefix="{above}."))
    assert spellings("UForm", [], EntityRule("*", "x", prefix="U", file=True)) == ("uform", "Form")
    assert "locale" not in spellings("Composer.locale", [], EntityRule("*", "x", prefix="{above}."))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("## a\n\n- **Type:** `string | false`\n- **Default:** `x`", "string | false"),
        ("## a\n\n- **Type**\n\n  ```ts\n  function a(): void\n  ```", "function a(): void"),
        ("## a\n\n**Signature:**\n\n```ts\na(b: string): c\n```", "a(b: string): c"),
        ("## a\n\n```ts\nfunction a<T>(): T\n```\n\nText. **Type:** `later`", "function a<T>(): T"),
        ("## a\n\n```ts\nimport { a } from 'b'\n```", ""),
        ("## a\n\nText.", ""),
    ],
)
def test_signatures(text: str, expected: str) -> None:
    assert signature(text) == expected


def test_an_alias_of_two_names_belongs_to_neither() -> None:
    a = Entity("A.x", "member", "made", "made/a", aliases=("x", "only"))
    b = replace(a, name="B.x", aliases=("x", "A.x"))
    assert [entity.aliases for entity in unique([a, b, replace(a, chunk_id="made/later")])] == [("only",), ()]
    assert [entity.aliases for entity in unique([a, replace(b, source="other")])] == [("x", "only"), ("x", "A.x")]


@pytest.mark.parametrize("source", EXAMPLES)
def test_the_names_of_a_source(source: str, corpus: Path) -> None:
    if not (corpus / source).is_dir():
        pytest.skip(f"{corpus} holds no {source}")
    reading = read_source(source, corpus)
    entities = reading.entities
    found = {name: (entities[name].type, entities[name].chunk_id) for name in EXAMPLES[source] if name in entities}
    assert found == {name: (kind, f"{source}/{section}") for name, (kind, section) in EXAMPLES[source].items()}
    assert len(entities) == COUNTS[source]
    assert not NO_NAMES & set(entities)
    assert {entity.chunk_id for entity in entities.values()} <= {chunk.id for chunk in reading.chunks}


@pytest.mark.parametrize("source", EXAMPLES)
def test_definitions_and_synonyms_speak_of_what_is_there(source: str, corpus: Path) -> None:
    if not (corpus / source).is_dir():
        pytest.skip(f"{corpus} holds no {source}")
    reading = read_source(source, corpus)
    texts = {page.file.path: page.file.text for page in reading.pages}
    sections = {chunk.section for chunk in reading.chunks}
    for section, names in definitions(source).items():
        assert section in sections
        for name, _ in names:
            assert name.split(".")[-1].split(" ")[-1] in texts[section.partition("#")[0]], (section, name)
    lost = {name: set(words) - set(reading.entities[name].aliases) for name, words in synonyms(source).items()}
    assert not any(lost.values()), {name: words for name, words in lost.items() if words}


def test_signatures_since_and_deprecation_are_read(corpus: Path) -> None:
    vite, vitest, nuxt = (read_source(source, corpus).entities for source in ("vite", "vitest", "nuxt"))
    assert vite["build.target"].signature == "string | string[]"
    assert vite["build.rollupOptions"].deprecated
    assert not vite["server.hmr"].deprecated
    assert vitest["vi.fn"].signature.startswith("function fn")
    assert vitest["browser.traceView"].since == "5.0.0"
    assert nuxt["useFetch"].signature.startswith("export function useFetch")


def test_one_name_in_two_sources_stays_two(corpus: Path) -> None:
    same = [read_source(source, corpus).entities["useFetch"] for source in ("nuxt", "vueuse")]
    assert same[0].key != same[1].key
    assert len(list(unique(same))) == 2
