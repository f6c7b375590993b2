import type { JoinTrouble } from '../../contract/rpc/joined.ts'

/** Why a remote room cannot be shown, and seconds until the next try. */
export class Trouble extends Error {
  readonly what: JoinTrouble
  readonly wait: number

  constructor(what: JoinTrouble, wait = 0) {
    super(what)
    this.name = 'Trouble'
    this.what = what
    this.wait = wait
  }
}
