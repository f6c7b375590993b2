import type { JoinTrouble } from '../../contract/rpc/joined.ts'

/** Why another computer's room cannot be shown, and how many seconds until another try counts there. It carries no words of the other side. */
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
