/** What sending reads of accounts (accids in lower case). */
export interface SenderAccounts {
  find(uid: number, accid: string): { readonly name: string } | undefined
}

/** What sending reads of a team. */
export interface SenderTeam {
  readonly row: { readonly tid: number }
  readonly members: ReadonlyMap<string, { readonly since: number }>
}
/** What sending reads of teams. */
export interface SenderTeams {
  /** By number as written. */
  find(uid: number, tid: string): SenderTeam | undefined
  maySpeak(team: SenderTeam, accid: string): boolean
}
