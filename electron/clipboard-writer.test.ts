import type { ClipboardItem } from 'electron'
import { expect, it } from 'vitest'
import { until } from '../companion/testing/rig.ts'
import { manualClock } from '../platform/testing/manual-clock.ts'
import { clipboardWriter } from './clipboard-writer.ts'

type Entries = Readonly<Record<string, string | Blob>>

function rig(platform: NodeJS.Platform, { takesMarks = true } = {}) {
  const clock = manualClock()
  const state = { text: '', entries: {} as Entries, reads: 0 }
  const copy = clipboardWriter({
    clock,
    platform,
    item: (entries) => entries as unknown as ClipboardItem,
    clipboard: {
      write: ([item]) => {
        if (!takesMarks) return Promise.reject(new Error('no such format'))
        state.entries = item as unknown as Entries
        state.text = state.entries['text/plain'] as string
        return Promise.resolve()
      },
      writeText: (text) => {
        state.text = text
        state.entries = {}
        return Promise.resolve()
      },
      readText: () => {
        state.reads++
        return Promise.resolve(state.text)
      },
      clear: () => {
        state.text = ''
      },
    },
  })
  return { clock, state, copy }
}

it('takes a secret off after a minute, unless something else was copied since', async () => {
  const { clock, state, copy } = rig('linux')
  await copy('one')
  clock.advance(59_000)
  // A further secret has a minute of its own.
  await copy('two')
  clock.advance(59_000)
  expect([state.text, state.reads]).toEqual(['two', 0])
  clock.advance(1_000)
  await until('the empty clipboard', () => state.text === '')
  await copy('three')
  state.text = 'what a person copied'
  clock.advance(60_000)
  await until('a look', () => state.reads === 2)
  expect(state.text).toBe('what a person copied')
})

it('asks the system and those who keep a history to leave it out', async () => {
  for (const [platform, names] of [
    [
      'win32',
      ['ExcludeClipboardContentFromMonitorProcessing', 'CanIncludeInClipboardHistory', 'CanUploadToCloudClipboard'],
    ],
    ['darwin', ['org.nspasteboard.ConcealedType']],
    ['linux', ['x-kde-passwordManagerHint']],
  ] as const) {
    const { state, copy } = rig(platform)
    await copy('a secret')
    expect(Object.keys(state.entries)).toEqual([
      'text/plain',
      ...names.map((name) => `electron application/osclipboard;format="${name}"`),
    ])
    const payloads = await Promise.all(Object.values(state.entries).map((each) => new Response(each).text()))
    expect(payloads).toEqual([
      'a secret',
      ...names.map(() => ({ win32: '\0\0\0\0', darwin: '\0', linux: 'secret' })[platform]),
    ])
  }
})

it('copies where the marks are not taken', async () => {
  const { state, copy } = rig('linux', { takesMarks: false })
  await copy('a secret')
  expect(state).toMatchObject({ text: 'a secret', entries: {} })
})
