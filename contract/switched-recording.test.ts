import { expect, it } from 'vitest'
import { recordNamePattern } from './operations/live.ts'
import { recordNameOf, switchedRecording } from './switched-recording.ts'

const untouched = { needRecord: false, format: 'flv', duration: 120, filename: '' } as const

it('asks for MP4 and the name of the channel where nobody has set how it is recorded', () => {
  expect(switchedRecording({ ...untouched, name: 'Night_show 深夜' }, true)).toEqual({
    needRecord: true,
    format: 'mp4',
    duration: 120,
    filename: 'Nightshow深夜',
  })
})

it.each([
  ['FLV with a name', { ...untouched, filename: 'Flat' }],
  ['FLV in short slices', { ...untouched, duration: 5 }],
  ['MP4 without a name', { ...untouched, format: 'mp4' as const }],
])('leaves what was set: %s', (_what, set) => {
  expect(switchedRecording({ ...set, name: 'Show' }, true)).toEqual({ ...set, needRecord: true })
})

it('changes nothing but the switch when it is turned off', () => {
  expect(switchedRecording({ ...untouched, needRecord: true, name: 'Show' }, false)).toEqual(untouched)
})

it.each(['', '_-_', 'x'.repeat(80), '𠀀'.repeat(80), 'Ünï cödé', '<img>'])('makes a name of %j that the service takes', (name) => {
  expect(recordNameOf(name)).toMatch(new RegExp(recordNamePattern, 'u'))
})
