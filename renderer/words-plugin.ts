import { runnerImport, type Plugin } from 'vite'
import { spoken, type Language, type Words } from './format/languages.ts'

/** `words.ts?en` exports the `words` of that file in English, `?zh` those in Chinese, so that a page loads one language only. */
export const wordsByLanguage = (): Plugin => ({
  name: 'sidestage:words-by-language',
  enforce: 'pre',
  async load(id) {
    const [, file, language] = /^(.*\/words[-\w]*\.ts)\?(en|zh)$/.exec(id.replaceAll('\\', '/')) ?? []
    if (!file) return null
    const { module, dependencies } = await runnerImport<Readonly<Record<string, Words>>>(file)
    for (const source of [file, ...dependencies]) this.addWatchFile(source)
    const [words = {}] = Object.values(module)
    return `export const words = ${JSON.stringify(spoken(words, language as Language))}`
  },
})
