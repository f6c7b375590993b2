/** How long things stay, by application (behaviour.md#retention-of-messages); days. */
export interface KeepDays {
  readonly historyDays: number
  readonly roamingDays: number
  readonly offlineDays: number
}
