/* The functions of DuckDB's C interface that neardup calls, as a table: those of the library
 * libduckdb, loaded at run time.
 *
 * DuckDB takes 70 MB, and only readers of Parquet need it. So neardup is built without it and
 * without its headers: the declarations below are the part of its C interface that is called. They
 * are the same in all versions from 1.2 on. The module that the Python package duckdb installs has
 * these functions, too. */
#ifndef ND_PARQUET_DUCKDB_LIBRARY_H
#define ND_PARQUET_DUCKDB_LIBRARY_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct duckdb_database_ *duckdb_database;
typedef struct duckdb_connection_ *duckdb_connection;
typedef struct duckdb_config_ *duckdb_config;
typedef struct duckdb_prepared_statement_ *duckdb_prepared_statement;
typedef struct duckdb_pending_result_ *duckdb_pending_result;
typedef struct duckdb_data_chunk_ *duckdb_data_chunk;
typedef struct duckdb_vector_ *duckdb_vector;
typedef struct duckdb_logical_type_ *duckdb_logical_type;
typedef struct duckdb_scalar_function_ *duckdb_scalar_function;
typedef struct duckdb_function_info_ *duckdb_function_info;

typedef enum duckdb_state { DuckDBSuccess = 0, DuckDBError = 1 } duckdb_state;
typedef enum duckdb_pending_state {
    DUCKDB_PENDING_RESULT_READY = 0,
    DUCKDB_PENDING_RESULT_NOT_READY = 1,
    DUCKDB_PENDING_ERROR = 2,
    DUCKDB_PENDING_NO_TASKS_AVAILABLE = 3
} duckdb_pending_state;
typedef enum duckdb_type {
    DUCKDB_TYPE_BOOLEAN = 1,
    DUCKDB_TYPE_TINYINT = 2,
    DUCKDB_TYPE_BIGINT = 5,
    DUCKDB_TYPE_UBIGINT = 9,
    DUCKDB_TYPE_FLOAT = 10,
    DUCKDB_TYPE_DOUBLE = 11,
    DUCKDB_TYPE_TIMESTAMP = 12,
    DUCKDB_TYPE_DATE = 13,
    DUCKDB_TYPE_HUGEINT = 16,
    DUCKDB_TYPE_VARCHAR = 17,
    DUCKDB_TYPE_BLOB = 18,
    DUCKDB_TYPE_DECIMAL = 19,
    DUCKDB_TYPE_TIMESTAMP_S = 20,
    DUCKDB_TYPE_TIMESTAMP_NS = 22,
    DUCKDB_TYPE_LIST = 24,
    DUCKDB_TYPE_STRUCT = 25,
    DUCKDB_TYPE_MAP = 26,
    DUCKDB_TYPE_UUID = 27,
    DUCKDB_TYPE_TIMESTAMP_TZ = 31,
    DUCKDB_TYPE_UHUGEINT = 32
} duckdb_type;

/* All members are DuckDB's. Passed by value. */
typedef struct duckdb_result {
    uint64_t columns, rows, changed;
    void *column_data;
    char *message;
    void *data;
} duckdb_result;

/* A string in a vector: of at most 12 bytes inside, otherwise by its address. */
typedef union duckdb_string_t {
    struct {
        uint32_t length;
        char bytes[12];
    } inlined;
    struct {
        uint32_t length;
        char prefix[4];
        const char *bytes;
    } pointer;
} duckdb_string_t;

typedef void duckdb_scalar_function_t(duckdb_function_info info, duckdb_data_chunk input,
                                      duckdb_vector output);

/* FUNCTION(result, name without "duckdb_", parameters) */
#define ND_DUCKDB_FUNCTIONS(FUNCTION)                                                              \
    FUNCTION(const char *, library_version, (void))                                                \
    FUNCTION(duckdb_state, create_config, (duckdb_config * out))                                   \
    FUNCTION(duckdb_state, set_config,                                                             \
             (duckdb_config config, const char *name, const char *option))                         \
    FUNCTION(void, destroy_config, (duckdb_config * config))                                       \
    FUNCTION(duckdb_state, open_ext,                                                               \
             (const char *path, duckdb_database *out, duckdb_config config, char **error))         \
    FUNCTION(void, close, (duckdb_database * database))                                            \
    FUNCTION(duckdb_state, connect, (duckdb_database database, duckdb_connection * out))           \
    FUNCTION(void, disconnect, (duckdb_connection * connection))                                   \
    FUNCTION(void, free, (void *memory))                                                           \
    FUNCTION(duckdb_state, prepare,                                                                \
             (duckdb_connection connection, const char *sql, duckdb_prepared_statement *out))      \
    FUNCTION(const char *, prepare_error, (duckdb_prepared_statement statement))                   \
    FUNCTION(void, destroy_prepare, (duckdb_prepared_statement * statement))                       \
    FUNCTION(duckdb_state, pending_prepared_streaming,                                             \
             (duckdb_prepared_statement statement, duckdb_pending_result * out))                   \
    FUNCTION(duckdb_pending_state, pending_execute_task, (duckdb_pending_result pending))          \
    FUNCTION(const char *, pending_error, (duckdb_pending_result pending))                         \
    FUNCTION(duckdb_state, execute_pending, (duckdb_pending_result pending, duckdb_result * out))  \
    FUNCTION(void, destroy_pending, (duckdb_pending_result * pending))                             \
    FUNCTION(const char *, result_error, (duckdb_result * result))                                 \
    FUNCTION(void, destroy_result, (duckdb_result * result))                                       \
    FUNCTION(uint64_t, column_count, (duckdb_result * result))                                     \
    FUNCTION(const char *, column_name, (duckdb_result * result, uint64_t column))                 \
    FUNCTION(duckdb_logical_type, column_logical_type, (duckdb_result * result, uint64_t column))  \
    FUNCTION(duckdb_data_chunk, fetch_chunk, (duckdb_result result))                               \
    FUNCTION(void, destroy_data_chunk, (duckdb_data_chunk * chunk))                                \
    FUNCTION(uint64_t, data_chunk_get_size, (duckdb_data_chunk chunk))                             \
    FUNCTION(duckdb_vector, data_chunk_get_vector, (duckdb_data_chunk chunk, uint64_t column))     \
    FUNCTION(void *, vector_get_data, (duckdb_vector vector))                                      \
    FUNCTION(uint64_t *, vector_get_validity, (duckdb_vector vector))                              \
    FUNCTION(void, vector_ensure_validity_writable, (duckdb_vector vector))                        \
    FUNCTION(void, vector_assign_string_element_len,                                               \
             (duckdb_vector vector, uint64_t row, const char *bytes, uint64_t length))             \
    FUNCTION(duckdb_vector, struct_vector_get_child, (duckdb_vector vector, uint64_t child))       \
    FUNCTION(duckdb_logical_type, create_logical_type, (duckdb_type type))                         \
    FUNCTION(duckdb_logical_type, create_struct_type,                                              \
             (duckdb_logical_type * types, const char **names, uint64_t count))                    \
    FUNCTION(void, destroy_logical_type, (duckdb_logical_type * type))                             \
    FUNCTION(duckdb_type, get_type_id, (duckdb_logical_type type))                                 \
    FUNCTION(duckdb_logical_type, list_type_child_type, (duckdb_logical_type type))                \
    FUNCTION(duckdb_logical_type, map_type_value_type, (duckdb_logical_type type))                 \
    FUNCTION(uint8_t, decimal_width, (duckdb_logical_type type))                                   \
    FUNCTION(uint8_t, decimal_scale, (duckdb_logical_type type))                                   \
    FUNCTION(uint64_t, struct_type_child_count, (duckdb_logical_type type))                        \
    FUNCTION(char *, struct_type_child_name, (duckdb_logical_type type, uint64_t child))           \
    FUNCTION(duckdb_logical_type, struct_type_child_type,                                          \
             (duckdb_logical_type type, uint64_t child))                                           \
    FUNCTION(duckdb_scalar_function, create_scalar_function, (void))                               \
    FUNCTION(void, destroy_scalar_function, (duckdb_scalar_function * function))                   \
    FUNCTION(void, scalar_function_set_name, (duckdb_scalar_function function, const char *name))  \
    FUNCTION(void, scalar_function_add_parameter,                                                  \
             (duckdb_scalar_function function, duckdb_logical_type type))                          \
    FUNCTION(void, scalar_function_set_return_type,                                                \
             (duckdb_scalar_function function, duckdb_logical_type type))                          \
    FUNCTION(void, scalar_function_set_function,                                                   \
             (duckdb_scalar_function function, duckdb_scalar_function_t * call))                   \
    FUNCTION(void, scalar_function_set_volatile, (duckdb_scalar_function function))                \
    FUNCTION(duckdb_state, register_scalar_function,                                               \
             (duckdb_connection connection, duckdb_scalar_function function))                      \
    FUNCTION(void, scalar_function_set_error, (duckdb_function_info info, const char *message))

#define ND_DUCKDB_MEMBER(result, name, parameters) result(*name) parameters;

/* Each member is the function of DuckDB that has its name behind "duckdb_". */
typedef struct nd_duckdb {
    ND_DUCKDB_FUNCTIONS(ND_DUCKDB_MEMBER)
} nd_duckdb;

/* Loads the library `path`. NULL: the one that the environment's NEARDUP_DUCKDB names; if that is
 * empty or not set, libduckdb.so where the system's loader finds it, in /usr/local/lib and
 * /usr/lib, beside the program or in ../lib of its directory, or in the packages that npm has
 * installed for all users. The current directory is never searched. The library stays loaded until
 * the process ends. ND_ERR_UNSUPPORTED: there is none, it is older than 1.2, or it is not DuckDB's;
 * the message says so, and how to get it. Thread-safe. */
nd_status nd_duckdb_load(const char *path, nd_duckdb *out, nd_error *error);

#endif
