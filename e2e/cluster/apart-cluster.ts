import { once } from 'node:events'
import { appendFileSync, chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { ChildProcess } from 'node:child_process'
import { until } from '../../service/testing/condition.ts'
import { httpRequest } from '../../service/testing/http-request.ts'
import { makeBucket } from '../../service/testing/s3-bucket.ts'
import { signedClient, type SignedClient } from '../../service/testing/signed-client.ts'
import { createApart, type Apart } from './apart.ts'
import {
  apartCredentials,
  apartNodes,
  apartPorts,
  apartPrograms,
  apartStore,
  setClock,
  type ApartChoice,
  type ApartHost,
} from './apart-programs.ts'
import { makePostgres } from './postgres.ts'

/** A node on a computer of its own. */
export interface ApartNode {
  readonly name: ApartHost
  /** Calls it, by the proxy where there is one. */
  readonly client: SignedClient
  /** Of its media side. */
  readonly mediaUrl: string
  readonly linkUrl: string
  /** Status of `/readyz`; 0 when nothing answers within 3 s. */
  readiness(): Promise<number>
}

/** Three nodes, a PostgreSQL and a Redis, each on a computer of its own. */
export interface ApartCluster extends Pick<Apart, 'cut' | 'cutBetween' | 'mend' | 'addressOf' | 'own'> {
  readonly nodes: readonly ApartNode[]
  /** Data of all. */
  readonly folder: string
  /** Sets the clock of the node of `clockOf` to so many seconds ahead of the time. */
  setClock(seconds: number): void
  signal(host: ApartHost, signal: NodeJS.Signals): void
  /** Kills a program; resolves when it is gone. */
  kill(host: ApartHost, signal?: NodeJS.Signals): Promise<void>
  /** Starts it again; resolves when it can be used. */
  start(host: ApartHost): Promise<void>
  close(): Promise<void>
}

/** Whether something listens there. */
const listens = (host: string, at: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host, port: at, timeout: 1000 })
    const end = (is: boolean) => () => {
      socket.destroy()
      resolve(is)
    }
    socket.once('connect', end(true)).once('error', end(false)).once('timeout', end(false))
  })

/** Starts all of it; needs what `createApart` needs. */
export async function startApart(choice: ApartChoice = {}): Promise<ApartCluster> {
  const folder = mkdtempSync(path.join(tmpdir(), 'sidestage-apart-'))
  const further = [...(choice.withStore ? ['store'] : []), ...(choice.withProxy ? ['proxy'] : [])]
  const apart = createApart(['db', 'redis', ...apartNodes, ...further])
  const { addressOf } = apart
  const running = new Map<ApartHost, ChildProcess>()
  const clientOf = (host: ApartHost): SignedClient => {
    const at = choice.withProxy ? addressOf('proxy') : `${addressOf(host)}:${apartPorts.api}`
    const client = signedClient(`http://${at}`, apartCredentials)
    // As a proxy with TLS calls it.
    return { ...client, call: (operation, args) => client.send(operation, args, [['x-forwarded-proto', 'https']]) }
  }
  const mediaAt = (host: ApartHost): string =>
    choice.withProxy ? addressOf('proxy') : `${addressOf(host)}:${apartPorts.media}`
  const readiness = (host: ApartHost): Promise<number> =>
    Promise.race([
      httpRequest(`http://${addressOf(host)}:${apartPorts.metrics}/readyz`, { method: 'GET' }).then(
        ({ status }) => status,
        () => 0,
      ),
      new Promise<number>((resolve) => setTimeout(resolve, 3000, 0)),
    ])
  const isUsable = async (host: ApartHost): Promise<boolean> => {
    switch (host) {
      case 'db':
        return listens(addressOf(host), apartPorts.postgres)
      case 'redis':
      case 'proxy':
        return listens(addressOf(host), apartPorts[host])
      case 'store': {
        // Also its servers behind it.
        const place = { ...apartStore(apart), prefix: '', isPathStyle: true }
        return makeBucket(place).then(
          () => true,
          () => false,
        )
      }
      default:
        return (await readiness(host)) === 200
    }
  }
  let programs: Awaited<ReturnType<typeof apartPrograms>>
  const start = async (host: ApartHost): Promise<void> => {
    const child = apart.start(host, programs.commandOf(host), { env: programs.env })
    running.set(host, child)
    let said = ''
    for (const stream of [child.stdout!, child.stderr!])
      stream.on('data', (part: Buffer) => (said = `${said}${part.toString()}`.slice(-4000)))
    await until(`${host} can be used`, () => {
      if (child.exitCode !== null) throw new Error(`${host} ended: ${said}`)
      return isUsable(host)
    })
  }
  const signal = (host: ApartHost, name: NodeJS.Signals): void => void process.kill(running.get(host)!.pid!, name)
  const close = async (): Promise<void> => {
    apart.close()
    for (const child of running.values())
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    // Servers of a store go on with what they had begun until they are gone.
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  }
  try {
    mkdirSync(path.join(folder, 'db'), { recursive: true })
    // PostgreSQL is another user's.
    chmodSync(folder, 0o711)
    programs = await apartPrograms(apart, folder, choice)
    await makePostgres(path.join(folder, 'db'))
    appendFileSync(path.join(folder, 'db', 'data', 'pg_hba.conf'), 'host all all 10.97.0.0/16 trust\n')
    for (const command of programs.behindStore) {
      const { stdout, stderr } = apart.start('store', command)
      for (const stream of [stdout!, stderr!]) stream.resume()
    }
    await Promise.all([start('db'), start('redis'), ...(choice.withStore ? [start('store')] : [])])
    await Promise.all(apartNodes.map(start))
    if (choice.withProxy) await start('proxy')
  } catch (error) {
    await close()
    throw error
  }
  return {
    ...apart,
    folder,
    nodes: apartNodes.map((name) => ({
      name,
      client: clientOf(name),
      mediaUrl: `http://${mediaAt(name)}`,
      linkUrl: `ws://${mediaAt(name)}/link`,
      readiness: () => readiness(name),
    })),
    setClock: (seconds) => setClock(folder, seconds),
    signal,
    async kill(host, name = 'SIGKILL') {
      const child = running.get(host)!
      const ended = once(child, 'exit')
      process.kill(child.pid!, name)
      await ended
    },
    start,
    close,
  }
}
