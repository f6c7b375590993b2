import { createI18n } from 'vue-i18n'
import type { InjectionKey } from 'vue'
import { fetchedAgain } from '../fetched-again.ts'
import { en } from '../features/frame/words.en.ts'
import { groups, type Group } from './groups.ts'
import type { Language, Messages } from './messages.ts'

/** The words of the interface: which are there, and which language speaks. */
export interface Words {
  /** Resolves once these groups can be shown in the language that speaks and in the one that is about to; rejects when they cannot be read. */
  need(wanted: readonly Group[]): Promise<void>
  /** Changes the language once all groups that were asked for are there in it; the newest wish wins. Rejects when they cannot be read. */
  speak(language: Language): Promise<void>
}

/** Gives components the words of the page. */
export const wordsKey: InjectionKey<Words> = Symbol('words')

/** The interface's languages, without eval, as its policy has none; it begins with the English of the frame alone. */
export function createLanguages() {
  // The type is that of all groups, so that a key is known wherever it is asked for; they are merged in as they come.
  const plugin = createI18n({
    legacy: false,
    locale: 'en',
    fallbackLocale: 'en',
    messages: { en: en as unknown as Messages, zh: {} as Messages },
  })
  const { locale, mergeLocaleMessage } = plugin.global
  const asked = new Set<Group>(['frame'])
  const there = new Map<string, Promise<void>>([['en/frame', Promise.resolve()]])
  let next: Language = 'en'

  const load = (language: Language, group: Group): Promise<void> => {
    const name = `${language}/${group}`
    const known = there.get(name)
    if (known) return known
    const coming = fetchedAgain<Awaited<ReturnType<(typeof groups)[Group][Language]>>>(() =>
      groups[group][language](),
    )().then((texts) => mergeLocaleMessage(language, texts))
    there.set(name, coming)
    coming.catch(() => there.delete(name))
    return coming
  }
  const words: Words = {
    need: async (wanted) => {
      for (const group of wanted) asked.add(group)
      await Promise.all(
        [...new Set([locale.value, next])].flatMap((language) => wanted.map((group) => load(language, group))),
      )
    },
    speak: async (language) => {
      next = language
      try {
        await Promise.all([...asked].map((group) => load(language, group)))
      } catch (error) {
        if (next === language) next = locale.value
        throw error
      }
      if (next === language) locale.value = language
    },
  }
  return { plugin, words }
}

/** The language for a setting and what the browser prefers. */
export const languageOf = (setting: 'en' | 'zh' | 'system', preferred: readonly string[]): Language =>
  setting === 'system' ? (preferred[0]?.toLowerCase().startsWith('zh') ? 'zh' : 'en') : setting
