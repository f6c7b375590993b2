/** Retention by application in days (behaviour.md#retention-of-messages). */
export interface KeepDays {
  readonly historyDays: number
  readonly roamingDays: number
  readonly offlineDays: number
}
