import { createMessageCounts } from '../events/message-counts.ts'
import { createRequestCounts } from '../http/request-counts.ts'
import { createMediaCounts } from '../hub/media-counts.ts'
import { createDatabaseCounts } from '../storage/database-counts.ts'

/** What the parts of a service count while they work; each adds to its own. */
export type ServiceCounts = ReturnType<typeof createServiceCounts>

/** Makes them, all 0. */
export const createServiceCounts = () => ({
  databaseCounts: createDatabaseCounts(),
  mediaCounts: createMediaCounts(),
  messageCounts: createMessageCounts(),
  requestCounts: createRequestCounts(),
})
