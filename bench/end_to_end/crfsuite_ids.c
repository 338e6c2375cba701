/* Decoding by CRFsuite's C interface, from attributes that are numbers in memory already.
 *
 *     crfsuite_ids MODEL ATTRIBUTES REPEATS
 *
 * Reads a file of attributes as `crfsuite tag` does, finds the number of each in the model, and then
 * times Viterbi decoding of all sentences, REPEATS times. Prints the number of tokens that were decoded,
 * and the CPU seconds of that alone.
 */
#include <crfsuite.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "iwa.h"

static void fail(const char* what) {
  fprintf(stderr, "crfsuite_ids: %s\n", what);
  exit(EXIT_FAILURE);
}

static void add_attribute(const iwa_token_t* token, crfsuite_dictionary_t* attributes,
                          crfsuite_item_t* item) {
  const int id = attributes->to_id(attributes, token->attr);
  crfsuite_attribute_t attribute;
  if (id < 0) return;
  crfsuite_attribute_set(&attribute, id, token->value && *token->value ? atof(token->value) : 1);
  crfsuite_item_append_attribute(item, &attribute);
}

/* The sentences of a file; what it gives as labels is not read. */
static crfsuite_instance_t* read_sentences(const char* path, crfsuite_dictionary_t* attributes,
                                           size_t* size) {
  FILE* file = fopen(path, "r");
  if (!file) fail("cannot open the attributes");
  iwa_t* reader = iwa_reader(file);
  crfsuite_instance_t *sentences = NULL, sentence;
  crfsuite_item_t item;
  int is_label = 1;
  *size = 0;
  crfsuite_instance_init(&sentence);
  for (const iwa_token_t* token; (token = iwa_read(reader)) != NULL;) {
    if (token->type == IWA_BOI) {
      crfsuite_item_init(&item);
      is_label = 1;
    } else if (token->type == IWA_ITEM) {
      if (!is_label) add_attribute(token, attributes, &item);
      is_label = 0;
    } else if (token->type == IWA_EOI) {
      crfsuite_instance_append(&sentence, &item, 0);
      crfsuite_item_finish(&item);
    } else if (sentence.num_items > 0) {
      sentences = realloc(sentences, (*size + 1) * sizeof *sentences);
      crfsuite_instance_init(&sentences[*size]);
      crfsuite_instance_copy(&sentences[(*size)++], &sentence);
      crfsuite_instance_finish(&sentence);
      crfsuite_instance_init(&sentence);
    }
  }
  iwa_delete(reader);
  fclose(file);
  return sentences;
}

int main(int argc, char** argv) {
  crfsuite_model_t* model;
  crfsuite_dictionary_t* attributes;
  crfsuite_tagger_t* tagger;
  if (argc != 4) fail("usage: crfsuite_ids MODEL ATTRIBUTES REPEATS");
  if (crfsuite_create_instance_from_file(argv[1], (void**)&model) != 0) fail("cannot load the model");
  if (model->get_attrs(model, &attributes) != 0 || model->get_tagger(model, &tagger) != 0) {
    fail("cannot use the model");
  }
  size_t size, tokens = 0;
  crfsuite_instance_t* sentences = read_sentences(argv[2], attributes, &size);
  const clock_t start = clock();
  for (int repeat = 0; repeat < atoi(argv[3]); ++repeat) {
    for (size_t i = 0; i < size; ++i) {
      int labels[sentences[i].num_items];
      double score;
      tagger->set(tagger, &sentences[i]);
      tagger->viterbi(tagger, labels, &score);
      tokens += sentences[i].num_items;
    }
  }
  printf("%zu %.6f\n", tokens, (double)(clock() - start) / CLOCKS_PER_SEC);
  return EXIT_SUCCESS;
}
