import { spawn } from 'node:child_process'

/** One command of a longer run. */
export interface Step {
  readonly name: string
  readonly command: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

/** How a step ended. */
export interface StepResult {
  readonly name: string
  readonly ok: boolean
  readonly seconds: number
  readonly output: string
}

/** Runs one command and keeps its output; `show` passes it on while it runs. */
export function runStep(step: Step, show = false): Promise<StepResult> {
  const started = performance.now()
  const [command = '', ...args] = step.command
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      env: { ...process.env, ...step.env },
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: process.platform === 'win32',
    })
    let output = ''
    const take = (chunk: Buffer): void => {
      output += chunk.toString()
      if (show) process.stderr.write(chunk)
    }
    child.stdout.on('data', take)
    child.stderr.on('data', take)
    const end = (ok: boolean): void =>
      resolve({ name: step.name, ok, seconds: (performance.now() - started) / 1000, output })
    child.on('error', (error) => {
      output += error.message
      end(false)
    })
    child.on('close', (code) => end(code === 0))
  })
}

/** Runs steps, at most `width` at a time, and prints a line for each; the output only of those that failed. */
export async function runSteps(steps: readonly Step[], width: number): Promise<boolean> {
  const waiting = [...steps]
  let ok = true
  const worker = async (): Promise<void> => {
    for (let step = waiting.shift(); step; step = waiting.shift()) {
      const result = await runStep(step)
      ok &&= result.ok
      process.stderr.write(
        `${result.ok ? 'ok  ' : 'FAIL'} ${result.name} (${result.seconds.toFixed(1)} s)\n${result.ok ? '' : `${result.output}\n`}`,
      )
    }
  }
  await Promise.all(Array.from({ length: width }, worker))
  return ok
}
