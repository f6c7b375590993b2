import { createI18n } from 'vue-i18n'
import type { InjectionKey } from 'vue'
import { fetchedAgain } from '../fetched-again.ts'
import { words as frameEnglish } from '../features/frame/words.ts?en'
import { groups, type Group } from './groups.ts'
import type { Language } from '../format/languages.ts'
import type { Messages } from './messages.ts'

/** Loads words and sets the language. */
export interface Words {
  /** Resolves once loaded in the current language and the coming one. */
  need(wanted: readonly Group[]): Promise<void>
  /** Once its words are loaded; the last call wins. */
  speak(language: Language): Promise<void>
}

/** Key of the page's words. */
export const wordsKey: InjectionKey<Words> = Symbol('words')

/** Without eval because of the page's policy; starts with the English of `frame`. */
export function createLanguages() {
  // Typed as all groups, so that every key is known; groups are merged in once loaded.
  const plugin = createI18n({
    legacy: false,
    locale: 'en',
    fallbackLocale: 'en',
    // A copy, as groups are merged into it.
    messages: { en: { ...frameEnglish } as Messages, zh: {} as Messages },
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

/** The language for a setting and the browser's preferences. */
export const languageOf = (setting: 'en' | 'zh' | 'system', preferred: readonly string[]): Language =>
  setting === 'system' ? (preferred[0]?.toLowerCase().startsWith('zh') ? 'zh' : 'en') : setting
