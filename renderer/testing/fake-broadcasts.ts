import { implement } from '@orpc/server'
import { isCleanEnd } from '../../contract/operations/broadcasts.ts'
import { rpc } from '../../contract/rpc/index.ts'

const minute = 60_000

/** One broadcast that is over, in memory: two pushes with a gap, and what was measured in them. */
export function fakeBroadcasts(now: number) {
  const os = implement(rpc).operations.broadcast
  const began = now - 150 * minute
  const pushList = [
    { began, ended: began + 60 * minute, how: 'lost' },
    { began: began + 61 * minute, ended: began + 113 * minute, how: 'stopped' },
  ]
  const { ended } = pushList[1]!
  const channel = 'live_main'
  let title = 'Night Radio 214'
  let isThere = true
  const facts = () => ({
    broadcastId: 'b'.repeat(24),
    cid: 'c'.repeat(32),
    channel,
    title,
    began,
    ended,
    how: 'stopped',
    clean: isCleanEnd('stopped'),
    pushes: pushList.length,
    viewers: 263_400,
    peak: 318,
  })
  const samples = pushList.flatMap((push) =>
    Array.from({ length: (push.ended - push.began) / minute }, (_, index) => {
      const at = push.began + index * minute
      const viewers = 240_000 + ((index * 37) % 60) * 1000
      const figures = {
        kbps: 6000,
        kbpsLow: 5800,
        millifps: 30_000,
        millifpsLow: 29_900,
        keyFrameGap: 2000,
        audioGap: 25,
      }
      return { at, seconds: 60, viewers, peak: viewers / 1000 + 18, ...figures }
    }),
  )
  return {
    broadcasts: os.broadcasts.handler(() => ({
      code: 200,
      ret: { list: isThere ? [facts()] : [], more: false },
    })),
    broadcast: os.broadcast.handler(() => ({
      code: 200,
      ret: {
        ...facts(),
        pushList,
        samples,
        events: [{ at: began + 20 * minute, kind: 'held', detail: 'hand' }],
        eventsLeftOut: 0,
        vids: [],
        markers: [],
      },
    })),
    setBroadcastTitle: os.setBroadcastTitle.handler(({ input }) => {
      title = input.call.title ?? channel
      return { code: 200 }
    }),
    removeBroadcast: os.removeBroadcast.handler(() => {
      isThere = false
      return { code: 200 }
    }),
  }
}
