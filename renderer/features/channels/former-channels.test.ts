import { expect, it } from 'vitest'
import { recordedWords } from './former-channels.ts'

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
