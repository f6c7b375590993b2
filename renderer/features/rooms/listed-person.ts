/** Somebody in a room, as lists give them. */
export interface Person {
  readonly accid: string
  readonly nick: string
  readonly type: number
  readonly online: boolean
  readonly robot: boolean
  readonly since: number | null
}
