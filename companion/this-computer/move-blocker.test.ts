import { expect, it } from 'vitest'
import type { AppEvent } from '../../contract/rpc/index.ts'
import type { Client } from '../client/client.ts'
import { createAppState } from '../hub/app-state.ts'
import { moveBlocker } from './move-blocker.ts'

const clientOf = (...states: string[]): Promise<Client> =>
  Promise.resolve({
    call: () => Promise.resolve({ ret: { list: states.map((state) => ({ state })) } }),
  } as unknown as Client)

it('a broadcast of this computer, a recording and a merge hinder a move, in this order', async () => {
  const state = createAppState()
  const post = (event: object): void => state.put(event as AppEvent)
  const blocker = (client = () => clientOf('running')) => moveBlocker(state, client)
  post({ type: 'tallies', profileId: 'local', tallies: [{ cid: 'c', status: 1 }] })
  post({ type: 'recording', profileId: 'local', cid: 'c', recording: { state: 'recording' } })
  expect(await blocker()).toBe('onAir')
  post({ type: 'tallies', profileId: 'local', tallies: [{ cid: 'c', status: 0 }] })
  expect(await blocker()).toBe('recording')
  post({ type: 'recording', profileId: 'local', cid: 'c', recording: { state: 'off' } })
  expect(await blocker()).toBe('merging')
  expect(await blocker(() => clientOf('done'))).toBeUndefined()
  // One of a hosted service goes on elsewhere, and a service that is down merges nothing.
  post({ type: 'tallies', profileId: 'h', tallies: [{ cid: 'c', status: 1 }] })
  expect(await moveBlocker(state, () => undefined)).toBeUndefined()
})
