import { expect, it, vi } from 'vitest'
import type { Services } from '../../data/services.ts'
import { spoken } from '../../format/languages.ts'
import { countRecorded, recordedWords } from './former-channels.ts'
import { channelsWords } from './words.ts'

const keys = (files: number | null | undefined, recording: boolean, local = true): string[] =>
  recordedWords({ local, files, recording }).map(({ key }) => key)

it.each([
  ['nothing, and nothing runs', 0, false, ['recordedNone']],
  ['its first file is being recorded', 0, true, ['recordingNow']],
  ['files, and one is being recorded', 2, true, ['recorded', 'recordingNow']],
  ['they are counted, and one is being recorded', undefined, true, ['recordedSome', 'recordingNow']],
  ['too many to count', null, false, ['recordedSome']],
] as const)('a question before a deletion says what there is: %s', (_what, files, recording, said) => {
  expect(keys(files, recording)).toEqual(said)
})

it('a question before a deletion says nothing of files that the host keeps', () => {
  expect(keys(0, true, false)).toEqual(['recordedHosted'])
})

it.each(['en', 'zh'] as const)(
  'a question before a deletion names no computer, in %s: files are where the service is',
  (language) => {
    const { ask } = spoken(channelsWords, language)
    for (const files of [0, 2, null])
      for (const key of keys(files, true)) expect(ask[key as keyof typeof ask]).not.toMatch(/this computer|本机/)
  },
)

interface Listed {
  readonly cid: string
  readonly vid: number
  readonly begin: number | null
}
interface Page {
  readonly files: readonly Listed[]
  readonly more: boolean
}
const listing = (...pages: readonly Page[]) => {
  const all = vi.fn(async (_asked: unknown): Promise<Page> => pages[Math.min(all.mock.calls.length, pages.length) - 1]!)
  return { all, rpc: { recordings: { all } } as unknown as Services['rpc'] }
}
const file = (cid: string, vid: number, begin: number | null = vid) => ({ cid, vid, begin })

it('counts the files of the channels that are to be deleted, over all pages', async () => {
  const { all, rpc } = listing(
    { files: [file('a', 9), file('b', 8), file('c', 7)], more: true },
    { files: [file('a', 6)], more: false },
  )
  expect(await countRecorded(rpc, 'local', ['a', 'b'])).toBe(3)
  const asked = { profileId: 'local', beginTime: 0, endTime: Number.MAX_SAFE_INTEGER, deletedOnly: false, limit: 1_000 }
  expect(all.mock.calls.map(([input]) => input)).toEqual([
    { ...asked, before: null },
    { ...asked, before: { begin: 7, vid: 7 } },
  ])
})

it('counts no further than twenty pages, and does not know the number then', async () => {
  const { all, rpc } = listing({ files: [file('a', 9)], more: true })
  expect(await countRecorded(rpc, 'local', ['a'])).toBeNull()
  expect(all).toHaveBeenCalledTimes(20)
})

it('ends its count where a page has no more or no time to go on from', async () => {
  expect(await countRecorded(listing({ files: [], more: true }).rpc, 'local', ['a'])).toBe(0)
  expect(await countRecorded(listing({ files: [file('a', 9, null)], more: true }).rpc, 'local', ['a'])).toBe(1)
})
