import fastify from 'fastify'
import { expect, it, vi } from 'vitest'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import type { WatchState } from '../../contract/watch.ts'
import type { Client } from '../http/clients.ts'
import { openEntry } from '../access/testing/open-entry.ts'
import { watchRoutes, type WatchedChannel, type WatchOptions } from './watch-routes.ts'

const cid = 'a'.repeat(32)
const clock = manualClock()

/** What the page is told of a channel that is on air since `since`. */
async function stateOf(
  since: number | undefined,
  isSilent: boolean,
  channel: Partial<WatchedChannel> = {},
  entry: WatchOptions['entry'] = openEntry,
): Promise<WatchState> {
  const server = fastify()
  const options: Partial<WatchOptions> = {
    clock,
    channel: () => ({ uid: 1, name: 'show', disabled: false, since, ...channel }),
    isSilent: () => isSilent,
    room: () => undefined,
    appKey: () => undefined,
    viewers: () => 0,
    newest: () => ({ timestamp: 80, sent: 1000, delay: 500 }),
    entry,
  }
  await server.register(watchRoutes(options as WatchOptions))
  const answer = await server.inject({ url: `/watch/${cid}/state` })
  await server.close()
  return answer.json<WatchState>()
}

it('tells viewers that the encoder on air sends nothing, and of none that is not on air', async () => {
  expect(await stateOf(clock.now(), true)).toMatchObject({ live: true, silent: true })
  expect(await stateOf(clock.now(), false)).not.toHaveProperty('silent')
  const over = await stateOf(undefined, true)
  expect(over).toMatchObject({ live: false })
  expect(over).not.toHaveProperty('silent')
})

it('tells viewers what the newest picture is and how late it was sent, while there is one', async () => {
  expect(await stateOf(clock.now(), false)).toMatchObject({ newest: { timestamp: 80, sent: 1000, delay: 500 } })
  expect(await stateOf(undefined, false)).not.toHaveProperty('newest')
})

it('answers who waits for a show when it begins, at once where no more may wait, and who is not let in', async () => {
  const state = async (
    options: Partial<WatchOptions>,
  ): Promise<{ began: (cid: string) => void; isDone: () => boolean; close: () => Promise<void> }> => {
    const server = fastify()
    let began = (_cid: string): void => undefined
    const usual: Partial<WatchOptions> = {
      clock,
      channel: () => ({ uid: 1, name: 'show', disabled: false, since: undefined }),
      onBegun: (call) => (began = call),
      room: () => undefined,
      appKey: () => undefined,
      viewers: () => 0,
      entry: openEntry,
    }
    server.decorateRequest('client', { getter: () => ({ subnet: '192.0.2.1' }) as Client })
    await server.register(watchRoutes({ ...usual, ...options } as WatchOptions))
    let isDone = false
    const answer = server.inject({ url: `/watch/${cid}/state?wait=1` }).then(() => (isDone = true))
    await server.inject({ url: `/watch/${cid}/state` })
    return {
      began: (of) => began(of),
      isDone: () => isDone,
      close: async () => {
        await answer
        await server.close()
      },
    }
  }
  const waits = await state({})
  expect(waits.isDone()).toBe(false)
  waits.began(cid)
  await waits.close()
  for (const options of [{ maxWaiting: 0 }, { entry: { ...openEntry, ground: () => undefined } }]) {
    const answered = await state(options)
    await vi.waitFor(() => expect(answered.isDone()).toBe(true))
    await answered.close()
  }
})

it('tells viewers when the last show ended, but not on air and not of a disabled channel', async () => {
  const ended = clock.now()
  expect(await stateOf(undefined, false, { ended })).toMatchObject({ live: false, ended })
  expect(await stateOf(clock.now(), false, { ended })).not.toHaveProperty('ended')
  expect(await stateOf(undefined, false, { ended, disabled: true })).not.toHaveProperty('ended')
})

it('tells viewers what the broadcast on air is called, and nobody who is not let in', async () => {
  const title = '<b>Requests</b>'
  expect(await stateOf(clock.now(), false, { title })).toMatchObject({ title: 'show', broadcastTitle: title })
  expect(await stateOf(clock.now(), false)).not.toHaveProperty('broadcastTitle')
  expect(await stateOf(undefined, false, { title })).not.toHaveProperty('broadcastTitle')
  expect(await stateOf(clock.now(), false, { title, disabled: true })).not.toHaveProperty('broadcastTitle')
  const gated = await stateOf(clock.now(), false, { title }, { ...openEntry, look: () => ({ gate: 'link' }) })
  expect(gated).toMatchObject({ title: 'show', gate: 'link' })
  expect(gated).not.toHaveProperty('broadcastTitle')
})
