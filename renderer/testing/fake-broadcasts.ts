import { implement } from '@orpc/server'
import { rpc } from '../../contract/rpc/index.ts'
import { makeBroadcast } from './broadcast-values.ts'

/** One broadcast that is over, in memory: two pushes with a pause, and what was measured in them. */
export function fakeBroadcasts(now: number) {
  const os = implement(rpc).operations.broadcast
  let title = ''
  let isThere = true
  const read = () => {
    const made = makeBroadcast(now - 150 * 60_000, 'c'.repeat(32), { vids: [], markers: [] })
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
