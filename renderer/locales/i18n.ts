import { createI18n } from 'vue-i18n'
import { en } from './en.ts'
import type { Language } from './messages.ts'
import { zh } from './zh.ts'

/** The interface's languages; English first, its text never evaluated, so that it runs under a policy without eval. */
export const createLanguages = (language: Language) => createI18n({ legacy: false, locale: language, fallbackLocale: 'en', messages: { en, zh } })

/** The language for a setting and what the browser prefers. */
export const languageOf = (setting: 'en' | 'zh' | 'system', preferred: readonly string[]): Language =>
  setting === 'system' ? (preferred[0]?.toLowerCase().startsWith('zh') ? 'zh' : 'en') : setting
