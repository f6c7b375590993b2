import { type ChildProcess, fork } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { fileURLToPath } from 'node:url'

/** A utility process, played by a forked one whose parent port a small hook makes from the process channel. */
export class UtilityDouble extends EventEmitter {
  readonly child: ChildProcess
  readonly stdout: ChildProcess['stdout']
  readonly stderr: ChildProcess['stderr']

  constructor(entry: string, env: NodeJS.ProcessEnv) {
    super()
    this.child = fork(entry, [], {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      env,
      execArgv: ['--import', fileURLToPath(new URL('utility-hook.mjs', import.meta.url))],
    })
    this.stdout = this.child.stdout
    this.stderr = this.child.stderr
    this.child.on('message', (message) => this.emit('message', message))
    this.child.on('exit', (code) => this.emit('exit', code ?? 1))
  }

  get pid(): number | undefined {
    return this.child.pid
  }
  postMessage(message: unknown): void {
    if (this.child.connected) this.child.send(message as object, () => undefined)
  }
  kill(): boolean {
    return this.child.kill()
  }
}
