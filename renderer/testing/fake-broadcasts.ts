import { implement } from '@orpc/server'
import { rpc } from '../../contract/rpc/index.ts'
import { makeBroadcast } from './broadcast-values.ts'

const hour = 3_600_000

/** One broadcast that is over, in memory: two pushes with a pause, with a file and a marker of `fakeRecordings`. */
export function fakeBroadcasts(now: number, cid = 'c'.repeat(32)) {
  const os = implement(rpc).operations.broadcast
  let title = ''
  let isThere = true
  const read = () => {
    const markers = [{ markerId: 1, at: now - 8.2 * hour, label: '' }]
    const made = makeBroadcast(now - 8.8 * hour, cid, { vids: [20_419], markers })
    return { ...made, title: title === '' ? made.title : title }
  }
  return {
    broadcasts: os.broadcasts.handler(() => ({ code: 200, ret: { list: isThere ? [read()] : [], more: false } })),
    broadcast: os.broadcast.handler(() => ({ code: 200, ret: read() })),
    setBroadcastTitle: os.setBroadcastTitle.handler(({ input }) => {
      title = input.call.title ?? ''
      return { code: 200 }
    }),
    removeBroadcast: os.removeBroadcast.handler(() => {
      isThere = false
      return { code: 200 }
    }),
  }
}
