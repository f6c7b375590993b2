import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { waitFor } from './wait.ts'

/** A request as seen by the Python receiver. */
export interface PythonRequest {
  readonly path: string
  readonly fields: Readonly<Record<string, string>>
  readonly verified: boolean
  readonly allText: boolean
  readonly length: string | null
  readonly chunked: boolean
  readonly type: string | null
}

/** A receiver in Python's standard library, as a separate process. */
export interface PythonReceiver {
  readonly url: string
  readonly requests: readonly PythonRequest[]
  close(): void
}

/** Starts it, for recording callbacks or message copies; answers the given statuses in turn, then 200. */
export async function startPythonReceiver(
  signKey: string,
  statuses: readonly number[] = [],
  script: 'receiver.py' | 'copy-receiver.py' = 'receiver.py',
): Promise<PythonReceiver> {
  const child = spawn('python3', [fileURLToPath(new URL(script, import.meta.url)), ...statuses.map(String)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  child.stdin.end(`${signKey}\n`)
  const lines: unknown[] = []
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(JSON.parse(line)))
  await waitFor('the receiver in Python', () => lines.length > 0)
  const { port } = lines[0] as { port: number }
  return {
    url: `http://127.0.0.1:${port}/recorded?from=sidestage`,
    get requests() {
      return lines.slice(1) as PythonRequest[]
    },
    close: () => void child.kill('SIGKILL'),
  }
}
