import { expect, it } from 'vitest'
import { recordNamePattern } from './operations/live.ts'
import { firstRecordingDefaults, recordNameOf, switchedRecording, usualRecording } from './switched-recording.ts'

const untouched = { needRecord: false, format: 'flv', duration: 120, filename: '' } as const

it('asks for MP4 and the name of the channel where nobody has set how it is recorded', () => {
  expect(switchedRecording({ ...untouched, name: 'Night_show 深夜' }, true, firstRecordingDefaults)).toEqual({
    needRecord: true,
    format: 'mp4',
    duration: 60,
    filename: 'Nightshow深夜',
  })
})

it.each([
  ['FLV with a name', { ...untouched, filename: 'Flat' }],
  ['FLV in short slices', { ...untouched, duration: 5 }],
  ['MP4 without a name', { ...untouched, format: 'mp4' as const }],
])('leaves what was set: %s', (_what, set) => {
  expect(switchedRecording({ ...set, name: 'Show' }, true, firstRecordingDefaults)).toEqual({
    ...set,
    needRecord: true,
  })
})

it('changes nothing but the switch when it is turned off', () => {
  expect(switchedRecording({ ...untouched, needRecord: true, name: 'Show' }, false, firstRecordingDefaults)).toEqual(
    untouched,
  )
})

it('asks for what the settings say where nobody has set the channel, and begins its form with it', () => {
  const channel = { ...untouched, name: 'Show' }
  const short = { everyPush: false, format: 'mp4', minutes: 15, named: false } as const
  expect(switchedRecording(channel, true, short)).toEqual({
    needRecord: true,
    format: 'mp4',
    duration: 15,
    filename: '',
  })
  expect(usualRecording(channel, { ...short, format: 'flv', named: true })).toEqual({
    format: 'flv',
    duration: 15,
    filename: 'Show',
  })
  expect(usualRecording({ ...channel, duration: 30 }, short)).toEqual({ format: 'flv', duration: 30, filename: '' })
})

it.each(['', '_-_', 'x'.repeat(80), '𠀀'.repeat(80), 'Ünï cödé', '<img>'])(
  'makes a name of %j that the service takes',
  (name) => {
    expect(recordNameOf(name)).toMatch(new RegExp(recordNamePattern, 'u'))
  },
)
