import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../hub/testing/fixture.ts'
import { until } from '../../testing/condition.ts'
import { freePort } from './nginx-target.ts'

const program = join(import.meta.dirname, '../../../node_modules/node-media-server/bin/app.js')

/** node-media-server as a server that targets publish to. */
export interface NodeMediaServerTarget {
  readonly rtmpUrl: string
  /** Where a stream is played over HTTP-FLV. */
  flvUrl(name: string): string
  stop(): Promise<void>
}

/** Starts it as its own command line does. */
export async function startNodeMediaServerTarget(): Promise<NodeMediaServerTarget> {
  const folder = temporaryFolder()
  const [rtmp, http] = [await freePort(), await freePort()]
  const config = {
    bind: '127.0.0.1',
    auth: { play: false, publish: false, secret: 'x' },
    rtmp: { port: rtmp },
    http: { port: http },
    store: { path: folder.path },
  }
  const file = join(folder.path, 'config.json')
  writeFileSync(file, JSON.stringify(config))
  const child = spawn(process.execPath, [program, '-c', file, '--no-admin'], { cwd: folder.path, stdio: 'ignore' })
  await until('node-media-server runs', async () => {
    if (child.exitCode !== null) throw new Error('node-media-server did not start')
    return fetch(`http://127.0.0.1:${http}/`).then(
      () => true,
      () => false,
    )
  })
  return {
    rtmpUrl: `rtmp://127.0.0.1:${rtmp}/live`,
    flvUrl: (name) => `http://127.0.0.1:${http}/live/${name}.flv`,
    async stop() {
      const exited = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGKILL')
      await exited
      folder.remove()
    },
  }
}
