/** Prefix of guests' accids. Accounts may use it too; a guest never gets a registered accid. */
export const guestPrefix = 'guest-'
