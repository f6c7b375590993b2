import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { scratch, startRig, until } from '../testing/rig.ts'

const child = fileURLToPath(new URL('../testing/writes-child.ts', import.meta.url))
const profileId = 'local'
const numberIn = (text: string | undefined): number => Number(/\d+/.exec(text ?? '')?.[0] ?? -1)

interface Said {
  readonly pids?: readonly number[]
  readonly roomid?: number
  readonly what?: string
  readonly n?: number
}

it('has everything that was acknowledged, and whole, after a kill -9 of app and service in the middle of writes', async () => {
  using folder = scratch()
  const logsLeft = new Set<string>()
  // Each round begins with numbers of its own, and ends at another moment.
  for (let round = 0; round < 2; round++) {
    const from = round * 1_000
    const acknowledged = new Map<string, number>()
    let pids: readonly number[] = []
    let roomid = 0
    const app = fork(child, [folder.dir, String(from)], { execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
    const gone = once(app, 'exit')
    let heard = 0
    await new Promise<void>((resolve, reject) => {
      app.once('exit', (code) => reject(new Error(`the app ended with ${code}`)))
      app.on('message', (message) => {
        const said = message as Said
        if (said.pids) ({ pids, roomid = 0 } = said)
        if (said.what !== undefined) acknowledged.set(said.what, said.n ?? 0)
        if (acknowledged.size === 5 && ++heard === 40 + round * 17) resolve()
      })
    })
    for (const pid of [...pids, app.pid!]) process.kill(pid, 'SIGKILL')
    await gone
    for (const name of readdirSync(folder.dir, { recursive: true, encoding: 'utf8' }))
      if (name.endsWith('-wal')) logsLeft.add(path.basename(name))

    const rig = await startRig(folder.dir)
    try {
      const { rpc } = rig.page
      await until('the service', () => rig.companion.serviceReady(150_000))
      const { entries } = await rpc.keeping.list()
      expect(entries).toEqual([])
      const names = (await rpc.channels.list({ profileId })).channels.map(({ name }) => numberIn(name))
      const found: Readonly<Record<string, number>> = {
        settings: (rig.page.newest('settings')?.settings.mutePresets?.[0] ?? 0) - 60,
        note: numberIn((await rpc.rooms.note({ profileId, accid: 'mei' })).text),
        obs: (await rpc.obs.state()).port - 1_000,
        action: Math.max(
          ...(await rpc.rooms.actions({ profileId, roomid })).map(({ what }) => numberIn(JSON.stringify(what))),
        ),
        channel: Math.max(...names),
      }
      // One more may have been written, whose answer nobody heard.
      const lost = [...acknowledged].filter(([what, n]) => !(found[what]! >= n && found[what]! <= n + 2))
      expect(lost.map(([what, n]) => `${what}: ${n} was acknowledged, ${found[what]} is there`)).toEqual([])
      for (let n = from; n <= acknowledged.get('channel')!; n++) expect(names).toContain(n)
    } finally {
      await rig.close()
    }
  }
  // The kills left logs behind, which is what was tried.
  expect([...logsLeft]).toEqual(expect.arrayContaining(['sidestage.db-wal', 'actions.db-wal']))
})
