import { accounts, live } from '../../contract/operations/index.ts'
import { until } from '../../service/testing/condition.ts'
import { apartCredentials } from './apart-programs.ts'
import type { StartWatch } from './failure-watch.ts'
import { listenInRoom } from './room-listener.ts'
import { keepPushing } from './watched-push.ts'

const listeners = 6
/** How long somebody may be out of the room, and players without media, in ms. */
const longest = 10_000
/** Players that go on get more after less, in ms. */
const between = 3000

/** People in the room, a push and its players, all by the proxy: each connection breaks, and goes on by another one. */
export const watchProxy: StartWatch = async ({ nodes }, roomid) => {
  const { client, linkUrl } = nodes[0]!
  const { cid, pushUrl, httpPullUrl, hlsPullUrl } = (await client.call(live.create, { name: 'proxied' })).ret!
  const push = keepPushing({ push: pushUrl, flv: httpPullUrl, hls: hlsPullUrl })
  const ears: ReturnType<typeof listenInRoom>[] = []
  for (let index = 0; index < listeners; index++) {
    const [accid, token] = [`ear-${index}`, `token-of-${index}`]
    await client.call(accounts.create, { accid, token })
    ears.push(listenInRoom({ linkUrl, appKey: apartCredentials.appKey }, { accid, token, roomid }))
  }
  const allInside = (): boolean => ears.every((ear) => ear.isInside())
  await until('all are inside', allInside)
  await until('the push is played', push.isPlayed)
  for (const silence of Object.values(push.silence)) silence.take()
  return {
    during: () => Promise.resolve(),
    async after({ acknowledged }) {
      const faults: string[] = []
      await until('all are inside again', allInside)
      const said = [...acknowledged.keys()]
      const missing = (): number =>
        ears.reduce((sum, { lines }) => sum + said.filter((line) => !lines.has(line)).length, 0)
      await until('all lines are heard', () => missing() === 0, longest).catch(() => undefined)
      const isBack = async (): Promise<boolean> =>
        push.connections() > 1 && (await client.call(live.state, { cid })).ret?.status === 1
      const isOnAir = await until('the push is on air again', isBack, longest).catch(() => false)
      const silence = { encoder: 0, flv: 0, hls: 0 }
      const goOn = (): boolean => {
        const now = (['encoder', 'flv', 'hls'] as const).map((name) => [name, push.silence[name].take()] as const)
        for (const [name, ms] of now) silence[name] = Math.max(silence[name], ms)
        return now.every(([, ms]) => ms < between)
      }
      await until('encoder and players go on', goOn, longest).catch(() => faults.push('players do not go on'))
      const away = Math.round(Math.max(...ears.map((ear) => ear.longestAway())))
      if (missing() > 0) faults.push(`${missing()} acknowledged lines were not heard`)
      if (ears.some((ear) => ear.twice() > 0)) faults.push('lines came twice')
      if (ears.some((ear) => ear.closes.length === 0)) faults.push('a link did not break')
      if (!isOnAir) faults.push('the push did not break, or is not on air again')
      if (Math.max(away, ...Object.values(silence)) > longest) faults.push('it took too long')
      return { faults, figures: { away, ...silence, connections: push.connections() } }
    },
    async close() {
      for (const ear of ears) ear.close()
      await push.end()
    },
  }
}
