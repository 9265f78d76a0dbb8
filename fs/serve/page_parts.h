// The parts of a page as HTML. All text from a store is escaped here. A part without content is empty.
#pragma once

#include <string>

#include "fs/serve/page_model.h"

namespace plainfs::serve {

std::string facts_html(const std::vector<Fact>& facts);
std::string form_html(const Form& form);
std::string picks_html(const Picks& picks);
std::string problem_html(const Problem& problem);
std::string forms_html(const std::vector<TakeAs>& forms);
std::string contents_html(const PageModel& page);
std::string cards_html(const std::vector<StoreCard>& stores);
std::string names_html(const std::vector<ContentRow>& names);
std::string pager_html(const Pager& pager);
std::string grid_html(const Grid& grid);
std::string figure_list(const std::vector<Figure>& figures);
std::string distribution_html(const Distribution& distribution);
std::string columns_html(const std::vector<ColumnFact>& columns);
std::string instructions_html(const PageModel& page);
std::string attributes_html(const std::vector<Fact>& attributes);
std::string entries_html(const std::vector<FolderEntry>& entries);

}  // namespace plainfs::serve
