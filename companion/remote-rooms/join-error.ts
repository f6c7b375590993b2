import type { JoinFailure } from '../../contract/rpc/joined.ts'

/** Why a remote room cannot be shown, and seconds until the next try. */
export class JoinError extends Error {
  readonly what: JoinFailure
  readonly wait: number

  constructor(what: JoinFailure, wait = 0) {
    super(what)
    this.name = 'JoinError'
    this.what = what
    this.wait = wait
  }
}
