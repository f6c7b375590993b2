import { expect, it } from 'vitest'
import { spoken } from './languages.ts'

it('takes the texts of one language at every depth, also below keys that are named as a language', () => {
  const words = {
    title: { en: 'Files', zh: '文件' },
    language: { en: { en: 'English', zh: 'English' }, zh: { en: 'Chinese', zh: '中文' } },
  }
  expect(spoken(words, 'en')).toEqual({ title: 'Files', language: { en: 'English', zh: 'Chinese' } })
  expect(spoken(words, 'zh')).toEqual({ title: '文件', language: { en: 'English', zh: '中文' } })
})
