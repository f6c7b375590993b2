import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Every change of the schema in order; a released one is never edited. Types are those that SQLite and PostgreSQL share. */
export const migrations: Readonly<Record<string, Migration>> = {
  '001-channels': {
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema
        .createTable('application')
        .addColumn('uid', 'bigint', (column) => column.primaryKey())
        .addColumn('name', 'varchar(64)', (column) => column.notNull().unique())
        .addColumn('created', 'bigint', (column) => column.notNull())
        .addColumn('ownerPresent', 'integer', (column) => column.notNull().defaultTo(1))
        .addColumn('liveEnabled', 'integer', (column) => column.notNull().defaultTo(1))
        .addColumn('vodEnabled', 'integer', (column) => column.notNull().defaultTo(1))
        .addColumn('frozen', 'integer', (column) => column.notNull().defaultTo(0))
        .addColumn('oneTimeCheckSum', 'integer', (column) => column.notNull().defaultTo(0))
        .addColumn('pushLifeDays', 'integer', (column) => column.notNull().defaultTo(30))
        .execute()
      await db.schema
        .createTable('channel')
        .addColumn('cid', 'varchar(32)', (column) => column.primaryKey())
        .addColumn('uid', 'bigint', (column) => column.notNull().references('application.uid'))
        .addColumn('name', 'varchar(64)', (column) => column.notNull())
        .addColumn('type', 'integer', (column) => column.notNull())
        .addColumn('ctime', 'bigint', (column) => column.notNull())
        .addColumn('disabled', 'integer', (column) => column.notNull())
        .addColumn('needRecord', 'integer', (column) => column.notNull())
        .addColumn('format', 'integer', (column) => column.notNull())
        .addColumn('duration', 'integer', (column) => column.notNull())
        .addColumn('filename', 'varchar(64)', (column) => column.notNull())
        .addColumn('channelKey', 'varchar(64)', (column) => column.notNull())
        .addColumn('keyExpires', 'bigint', (column) => column.notNull())
        .addUniqueConstraint('channel_name', ['uid', 'name'])
        .execute()
      await db.schema.createIndex('channel_order').on('channel').columns(['uid', 'ctime', 'cid']).execute()
      await db.schema
        .createTable('admission')
        .addColumn('cid', 'varchar(32)', (column) => column.notNull())
        .addColumn('wsTime', 'bigint', (column) => column.notNull())
        .addColumn('lastPacket', 'bigint', (column) => column.notNull())
        .addPrimaryKeyConstraint('admission_key', ['cid', 'wsTime'])
        .execute()
    },
  },
}
