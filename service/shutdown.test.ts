import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'

const url = new URL('shutdown.ts', import.meta.url).href

/** Runs a program with a shutdown whose closing does `close`; gives its exit code and its lines. */
async function run(close: string, act: string): Promise<{ readonly code: unknown; readonly lines: readonly string[] }> {
  const program = `
    import { createShutdown } from ${JSON.stringify(url)}
    const say = (level) => (_fields, sentence) => console.log(level + ' ' + sentence)
    const log = { debug: say('debug'), info: say('info'), warn: say('warn'), error: say('error') }
    const flush = async () => console.log('flushed')
    const shutdown = createShutdown({ log, flush }, async () => { ${close} })
    setInterval(() => undefined, 1000)
    ${act}`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [out, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  return { code, lines: out.trim().split('\n') }
}

describe('a shutdown', () => {
  it('closes once, however often it is asked for, writes its last lines and ends with code 0', async () => {
    expect(
      await run(
        "console.log('closed it')",
        "shutdown.leave('one'); shutdown.leave('other'); void shutdown.end('third')",
      ),
    ).toEqual({
      code: 0,
      lines: ['info closing', 'closed it', 'info closed', 'flushed', 'flushed'],
    })
  })

  it('that fails is logged, and ends with code 1 after its last lines', async () => {
    expect(await run("throw new Error('stuck')", "shutdown.leave('asked')")).toEqual({
      code: 1,
      lines: ['info closing', 'error closing failed', 'flushed'],
    })
  })

  it('that takes too long ends with code 1', async () => {
    expect(await run('await new Promise(() => undefined)', "shutdown.leave('asked')")).toEqual({
      code: 1,
      lines: ['info closing', 'error closing took too long'],
    })
  })

  it.skipIf(process.platform === 'win32').each(['SIGTERM', 'SIGINT'])('begins with %s', async (signal) => {
    expect(await run('', `process.kill(process.pid, '${signal}')`)).toEqual({
      code: 0,
      lines: ['info closing', 'info closed', 'flushed'],
    })
  })
})
