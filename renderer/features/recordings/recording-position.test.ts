import { createPinia, setActivePinia } from 'pinia'
import { createApp, nextTick } from 'vue'
import { expect, it } from 'vitest'
import type { Profile, RecordedFile, RecordingPosition } from '../../../contract/rpc/index.ts'
import type { RpcClient } from '../../data/client.ts'
import { useCompanion } from '../../data/companion.ts'
import { useRecordings } from '../channels/recorded.ts'
import { nearest, useRecordingPosition } from './recording-position.ts'
import { servicesKey } from '../../data/services.ts'

const file = { vid: 7, cid: 'c', name: 'Late', begin: 1000, end: 61_000 } as RecordedFile
const running: RecordingPosition = { found: 'running', cid: 'c', cut: 99 }

function stage(first: RecordingPosition, isLocal = true) {
  const state: { answer: RecordingPosition; failing: boolean } = { answer: first, failing: false }
  const calls: object[] = []
  const rpc = {
    rooms: {
      second: (input: object) => {
        calls.push(input)
        return state.failing ? Promise.reject(new Error('refused')) : Promise.resolve(state.answer)
      },
    },
  } as unknown as RpcClient
  const app = createApp({})
  const pinia = createPinia()
  app.provide(servicesKey, {
    rpc,
    now: () => 0,
    memory: { read: (key) => (key === 'sidestage.profile' && !isLocal ? 'hosted-1' : null), write: () => undefined },
  })
  app.use(pinia)
  setActivePinia(pinia)
  const second = app.runWithContext(() => useRecordingPosition())
  const companion = useCompanion()
  companion.profiles = [{ id: 'local', kind: 'local' } as Profile, { id: 'hosted-1', kind: 'hosted' } as Profile]
  const settled = async (): Promise<void> => {
    for (let turn = 0; turn < 10; turn++) await nextTick()
  }
  const told = async (): Promise<void> => {
    useRecordings().apply({
      type: 'recorded',
      profileId: 'local',
      cid: 'c',
      at: 1,
      vid: 7,
      name: 'Late',
      bytes: 1,
      merged: false,
    })
    await settled()
  }
  return { second, state, calls, settled, told }
}
const line = { msgid: '1', at: 31_000 }

it('plays what is found at once', async () => {
  const { second, calls, settled } = stage({ found: 'file', cid: 'c', file, seconds: 30 })
  second.ask('local', 3, line)
  await settled()
  expect(calls).toEqual([{ profileId: 'local', roomid: 3, at: 31_000 }])
  expect(second.opening).toEqual({ profileId: 'local', file, seconds: 30 })
  expect([second.asked, second.answer]).toEqual([null, null])
})

it('plays by itself what was in the running slice, once that has ended, for as long as somebody waits for it', async () => {
  const { second, state, settled, told } = stage(running)
  second.ask('local', 3, line)
  await settled()
  expect(second.answer).toEqual(running)
  // The file of another channel, or the slice before: it goes on waiting.
  await told()
  expect([second.answer, second.opening]).toEqual([running, null])
  state.answer = { found: 'file', cid: 'c', file, seconds: 30 }
  await told()
  expect(second.opening).toEqual({ profileId: 'local', file, seconds: 30 })
  expect([second.asked, second.answer]).toEqual([null, null])
  second.opening = null
  await told()
  expect(second.opening).toBeNull()
})

it('looks again when the line to the app is back, as files may have been told of meanwhile', async () => {
  const { second, state, settled } = stage(running)
  useCompanion().lineIs('open')
  second.ask('local', 3, line)
  await settled()
  useCompanion().lineIs('lost')
  await settled()
  state.answer = { found: 'file', cid: 'c', file, seconds: 30 }
  useCompanion().lineIs('open')
  await settled()
  expect(second.opening).toEqual({ profileId: 'local', file, seconds: 30 })
})

it('offers what is there after all where nothing was, and does not take the screen by itself', async () => {
  const { second, state, settled, told } = stage({ found: 'none', cid: 'c', before: null, after: null })
  second.ask('local', 3, line)
  await settled()
  state.answer = { found: 'file', cid: 'c', file, seconds: 30 }
  await told()
  expect([second.answer?.found, second.opening]).toEqual(['file', null])
  second.open(file, 30)
  expect(second.opening).toEqual({ profileId: 'local', file, seconds: 30 })
})

it('asks no more once it is closed, and says what went wrong', async () => {
  const { second, state, calls, settled, told } = stage(running)
  second.ask('local', 3, line)
  await settled()
  second.close()
  state.answer = { found: 'file', cid: 'c', file, seconds: 30 }
  await told()
  expect([calls.length, second.opening]).toEqual([1, null])
  state.answer = running
  state.failing = true
  second.ask('local', 3, line)
  await settled()
  expect([second.failure !== null, second.asking]).toEqual([true, false])
  state.failing = false
  second.again()
  await settled()
  expect([second.failure, second.answer]).toEqual([null, running])
})

it('only tells where it is in a hosted profile, whose files are not played here', async () => {
  const { second, settled } = stage({ found: 'file', cid: 'c', file, seconds: 30 }, false)
  second.ask('hosted-1', 3, line)
  await settled()
  expect([second.answer?.found, second.opening]).toEqual(['file', null])
})

it('plays the last seconds of a file before the line, and one after it from its begin', () => {
  expect([nearest(file, 'before'), nearest(file, 'after')]).toEqual([55, 0])
  expect([nearest({ ...file, end: 2000 }, 'before'), nearest({ ...file, begin: null }, 'before')]).toEqual([0, 0])
})
