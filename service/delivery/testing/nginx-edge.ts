import { spawn } from 'node:child_process'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from '../../hub/testing/fixture.ts'
import { until } from '../../testing/condition.ts'

const program = '/usr/sbin/nginx'
const folderOf = fileURLToPath(new URL('../../../resources/edges/', import.meta.url))

/** Whether Debian's nginx is installed, with its RTMP module. */
export const isNginxThere = (): boolean =>
  existsSync(program) && existsSync('/usr/lib/nginx/modules/ngx_rtmp_module.so')

/** An nginx that runs with a file of `resources/edges/`. */
export interface NginxEdge {
  /** Lines of its log. */
  log(): string[]
  /** What it had to complain about. */
  errors(): string
  stop(): Promise<void>
}

/**
 * Starts it with the file as it is, but for what a person changes: each text of a line that is marked CHANGE becomes
 * another one, and all such lines must be named.
 */
export async function startNginxEdge(name: string, changes: Readonly<Record<string, string>>): Promise<NginxEdge> {
  const folder = temporaryFolder()
  chmodSync(folder.path, 0o777)
  const left = new Set(Object.keys(changes))
  const lines = readFileSync(join(folderOf, name), 'utf8')
    .split('\n')
    .map((line) => {
      if (!line.includes('# CHANGE')) return line
      const from = Object.keys(changes).find((text) => line.includes(text))
      if (from === undefined) throw new Error(`nothing is given for: ${line}`)
      left.delete(from)
      return line.replace(from, changes[from]!)
    })
  if (left.size > 0) throw new Error(`no such line: ${[...left].join(', ')}`)
  writeFileSync(join(folder.path, name), lines.join('\n'))
  const child = spawn(program, ['-p', `${folder.path}/`, '-c', name], { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', (text: Buffer) => (said += text.toString()))
  const base = name.replace('.conf', '')
  const read = (file: string): string => {
    const path = join(folder.path, file)
    return existsSync(path) ? readFileSync(path, 'utf8') : ''
  }
  await until('nginx runs', () => existsSync(join(folder.path, `${base}.pid`)) || child.exitCode !== null)
  if (child.exitCode !== null) throw new Error(`nginx did not start: ${said}`)
  return {
    log: () => read(`${base}.log`).split('\n').slice(0, -1),
    errors: () => said + read(`${base}-error.log`),
    async stop() {
      const exited = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGTERM')
      await exited
      folder.remove()
    },
  }
}
