import { local } from '../../../contract/operations/index.ts'
import { serve, type Served } from '../../http/dispatch.ts'
import { Refused } from '../../http/refusal.ts'
import { plainForm } from './word-matcher.ts'
import type { Words } from './words.ts'

/** The operations on the word list. Words are kept trimmed and once each, whatever their case. */
export const wordOperations = (words: Words): Served[] => [
  serve(local.words, (_parameters, { application: { uid } }) => {
    const { words: kept, hold } = words.read(uid)
    return { ret: { words: [...kept], hold } }
  }),
  serve(local.setWords, async ({ words: given, hold }, { application: { uid } }) => {
    const kept = new Map(given.map((word) => [plainForm(word.trim()), word.trim()]))
    if (kept.has('')) throw new Refused(local.setWords.invalid, 'words has an empty word')
    await words.replace(uid, { words: [...kept.values()], hold })
    return {}
  }),
]
